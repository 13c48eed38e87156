"""What manifests say to the programs is what the programs understand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kit import objects, programs, render
from kit.objects import Object

# Which variable says where a declared port listens.
LISTENERS = {
    ("game-service", "grpc"): "HANDFOOT_LISTEN",
    ("game-service", "health"): "HANDFOOT_HEALTH_LISTEN",
}


def settings(rendering: list[Object], program: str) -> dict[str, str]:
    deployment = objects.named(rendering, "Deployment", program)
    [container] = objects.pod(deployment)["spec"]["containers"]
    return objects.environment(rendering, container)


def with_files_at(
    rendering: list[Object], program: str, secrets: Path
) -> dict[str, str]:
    """The environment of a container, with the mounts of its secrets in a folder here."""
    deployment = objects.named(rendering, "Deployment", program)
    spec = objects.pod(deployment)["spec"]
    volumes = {volume["name"]: volume for volume in spec["volumes"]}
    environment = settings(rendering, program)
    for mount in spec["containers"][0]["volumeMounts"]:
        secret = volumes[mount["name"]].get("secret")
        if secret:
            here = next(f for f in secrets.iterdir() if secret["secretName"].startswith(f.name))
            for name, value in environment.items():
                if value.startswith(mount["mountPath"] + "/"):
                    environment[name] = value.replace(mount["mountPath"], str(here))
    return environment


@pytest.mark.parametrize("program", programs.NAMES)
def test_a_config_map_has_every_variable_and_no_other(
    rendering: list[Object], program: str
) -> None:
    assert settings(rendering, program).keys() == programs.variables(program)


@pytest.mark.parametrize("program", programs.NAMES)
def test_no_secret_stands_in_an_environment(rendering: list[Object], program: str) -> None:
    assert not settings(rendering, program).keys() & programs.secrets(program)
    assert programs.secrets(program), "the program has secrets"


@pytest.mark.parametrize("program", programs.NAMES)
def test_a_program_takes_its_configuration(
    rendering: list[Object], program: str, tmp_path: Path
) -> None:
    if "--print-config" not in programs.help_of(program):
        pytest.skip(f"{program} has no --print-config yet")
    secrets = render.make_secrets(tmp_path / "secrets")
    environment = with_files_at(rendering, program, secrets)
    done = programs.print_config(program, environment)
    assert done.returncode == 0, done.stderr
    given = {name for name, value in environment.items() if value}
    for line in filter(None, done.stdout.splitlines()):
        name = line.partition("=")[0]
        is_given = name in given or f"{name}_FILE" in given
        assert line.endswith("# environment") == is_given, line


@pytest.mark.parametrize(("program", "port"), LISTENERS)
def test_declared_ports_are_where_the_program_listens(
    rendering: list[Object], program: str, port: str
) -> None:
    declared = objects.ports_of(objects.named(rendering, "Deployment", program))
    address = settings(rendering, program)[LISTENERS[program, port]]
    assert address == f"0.0.0.0:{declared[port]}"


@pytest.mark.parametrize("program", programs.NAMES)
def test_every_declared_port_has_a_listener(rendering: list[Object], program: str) -> None:
    declared = objects.ports_of(objects.named(rendering, "Deployment", program))
    assert {(program, port) for port in declared} <= LISTENERS.keys()


def test_bots_find_every_replica_by_name(rendering: list[Object]) -> None:
    url = settings(rendering, "bot-service")["HANDFOOT_BOT_SERVERS"]
    host, _, port = url.removeprefix("http://").partition(":")
    service = objects.named(rendering, "Service", host)
    assert service["spec"]["clusterIP"] == "None", "a name with one address is one replica"
    assert int(port) in [one["port"] for one in service["spec"]["ports"]]


def test_secrets_of_a_new_installation_are_good_ones_and_nobody_elses(tmp_path: Path) -> None:
    folders = [render.make_secrets(tmp_path / name) for name in ("one", "two")]
    files = [path.relative_to(folders[0]) for path in sorted(folders[0].rglob("*")) if path.is_file()]
    assert len(files) == 9
    for file in files:
        texts = [(folder / file).read_text(encoding="utf-8") for folder in folders]
        assert texts[0] != texts[1], f"{file} is the same in two installations"
        assert os.stat(folders[0] / file).st_mode & 0o077 == 0, f"{file} can be read by others"
