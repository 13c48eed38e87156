"""What the tests that run containers share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kit import containers, objects, probes, render
from kit.containers import Cluster, Podman
from kit.places import DEPLOY, PROGRAMS, ROOT
from kit.stack import Stack


@pytest.fixture(scope="session")
def podman(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Podman]:
    made = Podman(tmp_path_factory.mktemp("podman"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def compiled() -> Path:
    """The static programs, in a folder; deploy/check has compiled them."""
    return PROGRAMS


@pytest.fixture(scope="session")
def images(podman: Podman, compiled: Path) -> dict[str, str]:
    """Our images by the name in the manifests, built from nothing but the programs."""
    done = podman.run(DEPLOY / "images" / "build", "--from", compiled, "check")
    return {line.split("/")[-1].split(":")[0]: line.split()[0] for line in done.stdout.splitlines()}


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the Python of the contract; the client of tests/clients can be imported."""
    folder = tmp_path_factory.mktemp("generated")
    protos = sorted((ROOT / "proto" / "handfoot" / "v1").glob("*.proto"))
    command = [sys.executable, "-m", "grpc_tools.protoc", "-I", ROOT / "proto"]
    subprocess.run(
        [*command, f"--python_out={folder}", f"--grpc_python_out={folder}", *protos], check=True
    )
    sys.path += [str(folder), str(ROOT / "tests" / "clients" / "python")]
    return folder


def allow_chosen_seeds(secrets: Path) -> None:
    """Games that can be repeated; no platform may ask for them unless it is said."""
    path = secrets / "game-service-keys" / "platform-credentials"
    entry = path.read_text(encoding="utf-8").strip()
    scopes = "tables.read+tables.write+tokens.issue+seed.choose"
    path.write_text(f"{entry}:platform:{scopes}\n", encoding="utf-8")


@pytest.fixture
def stack(
    podman: Podman, images: dict[str, str], renderings: dict[str, list[objects.Object]], tmp_path: Path
) -> Iterator[Stack]:
    """The base as it is rendered, running and ready."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    secrets = render.make_secrets(tmp_path / "secrets")
    allow_chosen_seeds(secrets)
    known = images | {"valkey": containers.redis_image(podman, tmp_path / "redis")}
    cluster = Cluster(podman, folder, renderings["base"], known, secrets)
    played = {}
    for name in ("redis", "game-service", "bot-service"):
        played[name] = cluster.play(name)
        for probe in ("startupProbe", "readinessProbe"):
            if probe in played[name].container:
                probes.until(played[name], probe)
    yield Stack(cluster, played["redis"], played["game-service"], played["bot-service"], secrets)
    podman.podman("pod", "rm", "--all", "--force")
