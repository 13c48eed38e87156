"""The images: small, without rights, the same every time, and known to the last package."""

from __future__ import annotations

import filecmp
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from kit import programs, tools
from kit.containers import Podman
from kit.places import DEPLOY, ROOT
from kit.images import compile_into

RECIPES = [DEPLOY / "images" / name for name in ("Dockerfile", "Containerfile")]
# Bytes of a whole image. They are about 9 MiB; a library that comes along unseen would double that.
SIZE_MAX = 16 * 2**20


def digest(podman: Podman, image: str) -> str:
    return podman.inspect(image, "image")["Digest"]


@pytest.mark.parametrize("program", programs.NAMES)
def test_an_image_holds_a_program_and_nothing_to_work_with(
    podman: Podman, images: dict[str, str], program: str
) -> None:
    files = podman.files(images[program])
    assert files.keys() == {program, "etc/ssl/certs/ca-certificates.crt"}
    assert sum(files.values()) < SIZE_MAX, files


@pytest.mark.parametrize("program", programs.NAMES)
def test_a_program_needs_no_library(compiled: Path, program: str) -> None:
    done = subprocess.run(["readelf", "--program-headers", "--dynamic", compiled / program], capture_output=True, text=True, check=True)
    assert "INTERP" not in done.stdout and "NEEDED" not in done.stdout


@pytest.mark.parametrize("program", programs.NAMES)
def test_a_program_says_nothing_of_where_it_was_made(compiled: Path, program: str) -> None:
    content = (compiled / program).read_bytes()
    for path in (str(ROOT), str(Path.home())):
        assert path.encode() not in content, path


@pytest.mark.parametrize("program", programs.NAMES)
def test_an_image_says_what_it_is(podman: Podman, images: dict[str, str], program: str) -> None:
    found = podman.inspect(images[program], "image")
    assert found["Config"]["User"] == "65532:65532"
    assert found["Config"]["Entrypoint"] == [f"/{program}"]
    labels = {name.rpartition(".")[2]: value for name, value in found["Labels"].items()}
    version = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    assert labels["title"] == program
    assert labels["version"] == version["workspace"]["package"]["version"]
    assert labels["licenses"] == version["workspace"]["package"]["license"]
    assert re.fullmatch(r"[0-9a-f]{40}|unknown", labels["revision"])
    assert labels["description"]


@pytest.mark.parametrize("program", programs.NAMES)
def test_an_image_starts_and_says_how_it_is_used(
    podman: Podman, images: dict[str, str], program: str
) -> None:
    text = podman.podman("run", "--rm", "--network", "none", "--read-only", images[program], "--help")
    assert set(programs.VARIABLE.findall(text)) == set(programs.VARIABLE.findall(programs.help_of(program)))


@pytest.mark.parametrize("program", programs.NAMES)
def test_a_wrong_configuration_ends_a_container_with_64(
    podman: Podman, images: dict[str, str], program: str
) -> None:
    arguments = ["run", "--rm", "--network", "none", "--read-only", images[program]]
    done = podman.run("podman", *arguments, check=False)
    assert done.returncode == 64, done.stderr


def test_the_same_programs_make_the_same_image(
    podman: Podman, images: dict[str, str], compiled: Path
) -> None:
    before = {program: digest(podman, image) for program, image in images.items()}
    podman.run(DEPLOY / "images" / "build", "--from", compiled, "again")
    for program, found in before.items():
        assert digest(podman, f"localhost/handfoot/{program}:again") == found


def test_another_tree_at_another_place_makes_the_same_programs(compiled: Path, tmp_path: Path) -> None:
    """Compiled anew from a copy, into a folder of its own: the same bytes."""
    tree = tmp_path / "elsewhere"
    ignored = shutil.ignore_patterns("target", ".git", "secrets")
    shutil.copytree(ROOT, tree, ignore=ignored)
    compile_into(tmp_path / "again", tree, CARGO_TARGET_DIR=str(tmp_path / "target"))
    for program in programs.NAMES:
        # Not as bytes: what differs between ten million of them nobody lives to read.
        assert filecmp.cmp(tmp_path / "again" / program, compiled / program, shallow=False), program


def packages_of(image: str, podman: Podman, folder: Path) -> dict[str, str]:
    """The packages of an image and their versions, as a scanner finds them."""
    archive = folder / "image.tar"
    podman.podman("save", "--quiet", "--format", "oci-archive", "--output", archive, image)
    syft = Path(sys.executable).parent / "syft"
    done = podman.run("env", "SYFT_CHECK_FOR_APP_UPDATE=false", syft, f"oci-archive:{archive}", "--output", "cyclonedx-json", "--quiet")
    found = json.loads(done.stdout).get("components", [])
    return {one["name"]: one["version"] for one in found if one["type"] == "library"}


@pytest.mark.parametrize("program", programs.NAMES)
def test_a_scanner_finds_every_package(
    podman: Podman, images: dict[str, str], program: str, tmp_path: Path
) -> None:
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    locked = {(one["name"], one["version"]) for one in lock}
    packages = packages_of(images[program], podman, tmp_path)
    assert packages.items() <= locked
    assert {f"handfoot-{program}", "tokio", "tonic"} <= packages.keys()
    for only_for_tests in ("proptest", "insta", "trybuild", "handfoot-test-kit"):
        assert only_for_tests not in packages


def final_stages(path: Path) -> list[str]:
    """What the stages of the programs say, but for what the two recipes must do differently."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [" ".join(line.split()) for line in text.splitlines() if line and line[0] != "#"]
    stages = lines[next(n for n, line in enumerate(lines) if line.endswith("AS game-service")) :]
    return [line.replace("COPY --from=compile /out/", "COPY ") for line in stages]


def test_both_recipes_make_the_same() -> None:
    ours, users = (final_stages(path) for path in reversed(RECIPES))
    assert ours == users
    assert len(ours) > 10


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.name)
def test_recipes_are_well_written(path: Path, tmp_path: Path) -> None:
    assert tools.hadolint(path) == []
    # checkov reads no recipe of another name.
    path = Path(shutil.copy(path, tmp_path / "Dockerfile"))
    assert tools.checkov(path, "dockerfile", tools.CHECKOV_DOCKERFILE_SKIPPED) == []


def test_a_badly_written_recipe_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "Dockerfile"
    path.write_text("FROM debian:latest\nRUN sudo apt-get install x\n", encoding="utf-8")
    assert {"DL3004", "DL3007"} <= {one.split(": ")[1] for one in tools.hadolint(path)}
    found = " ".join(tools.checkov(path, "dockerfile", tools.CHECKOV_DOCKERFILE_SKIPPED))
    assert "CKV_DOCKER_3" in found and "CKV_DOCKER_7" in found
