"""systemd and Compose have the settings that Kubernetes has."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from kit import objects, programs, render
from kit.objects import Object
from kit.places import DEPLOY

COMPOSE = DEPLOY / "compose" / "compose.yaml"
LETTING_GO_S = 5
DRAINS = {"game-service": "HANDFOOT_DRAIN", "bot-service": "HANDFOOT_BOT_DRAIN"}
# A store whose address holds no password may stand in an environment.
OPEN_STORE = {"HANDFOOT_STORE"}


def env_file(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = [line.partition("=") for line in lines if line and not line.startswith("#")]
    return {name: value for name, _, value in pairs}


def unit(program: str) -> dict[str, list[str]]:
    """The settings of a unit; one may be given more than once."""
    path = DEPLOY / "systemd" / f"handfoot-{program}.service"
    found: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            found.setdefault(name, []).append(value)
    return found


def settings(program: str) -> dict[str, str]:
    return env_file(DEPLOY / "systemd" / f"{program}.env")


@pytest.mark.parametrize("program", programs.NAMES)
def test_a_unit_has_every_variable(program: str) -> None:
    expected = programs.variables(program)
    given = settings(program).keys()
    if OPEN_STORE <= given:
        expected = expected - {"HANDFOOT_STORE_FILE"} | OPEN_STORE
    assert given == expected
    assert not given - OPEN_STORE & programs.secrets(program)


@pytest.mark.parametrize("program", programs.NAMES)
def test_a_unit_hands_over_every_file(program: str) -> None:
    """Each variable that names a file names a credential of the unit, and each of them is named."""
    [environment] = unit(program)["EnvironmentFile"]
    assert environment == f"/etc/handfoot/{program}.env"
    folder = f"/run/credentials/handfoot-{program}.service/"
    named = {v.removeprefix(folder) for v in settings(program).values() if v.startswith(folder)}
    handed = [one.partition(":") for one in unit(program)["LoadCredential"]]
    assert named == {name for name, _, _ in handed}


@pytest.mark.parametrize("program", programs.NAMES)
def test_a_program_takes_the_settings_of_its_unit(program: str, tmp_path: Path) -> None:
    if "--print-config" not in programs.help_of(program):
        pytest.skip(f"{program} has no --print-config yet")
    secrets = render.make_secrets(tmp_path / "secrets")
    paths = {}
    for entry in unit(program)["LoadCredential"]:
        name, _, source = entry.partition(":")
        paths[f"/run/credentials/handfoot-{program}.service/{name}"] = source.replace(
            "/etc/handfoot/secrets", str(secrets)
        )
    environment = {name: paths.get(value, value) for name, value in settings(program).items()}
    done = programs.print_config(program, environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("program", programs.NAMES)
def test_a_unit_waits_for_the_drain(program: str) -> None:
    [stop] = unit(program)["TimeoutStopSec"]
    assert objects.seconds(stop) > objects.seconds(settings(program)[DRAINS[program]]) + LETTING_GO_S


def compose() -> dict[str, Object]:
    return yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]


@pytest.mark.parametrize("program", programs.NAMES)
def test_compose_has_the_settings_and_files_of_the_base(
    renderings: dict[str, list[Object]], program: str
) -> None:
    service = compose()[program]
    [file] = service["env_file"]
    assert (COMPOSE.parent / file).resolve() == DEPLOY / "base" / program / "config.env"
    deployment = objects.named(renderings["base"], "Deployment", program)
    [container] = objects.containers(deployment)
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    secrets = {v["name"]: v["secret"]["secretName"] for v in objects.pod(deployment)["spec"]["volumes"]}
    given = {to: source for source, to, _ in (one.split(":") for one in service["volumes"])}
    assert given == {path: f"./secrets/{secrets[name]}" for path, name in mounts.items()}
    grace = objects.pod(deployment)["spec"]["terminationGracePeriodSeconds"]
    assert objects.seconds(service["stop_grace_period"]) == grace
    assert service["image"].split(":-")[1].rstrip("}") == container["image"]
    assert objects.quantity(service["mem_limit"].upper() + "i") == objects.quantity(
        container["resources"]["limits"]["memory"]
    )


def test_compose_runs_the_redis_of_the_base(renderings: dict[str, list[Object]]) -> None:
    service = compose()["redis"]
    [container] = objects.containers(objects.named(renderings["base"], "StatefulSet", "redis"))
    assert service["image"] == f"docker.io/{container['image']}"
    assert service["command"] == container["command"]
    assert service["healthcheck"]["test"] == ["CMD", *container["readinessProbe"]["exec"]["command"]]


@pytest.mark.parametrize("name", ["redis", *programs.NAMES])
def test_compose_gives_no_rights(name: str) -> None:
    service = compose()[name]
    assert service["user"] == "65532:65532" and service["read_only"] is True
    assert service["cap_drop"] == ["ALL"] and "cap_add" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    for port in service.get("ports", []):
        assert port.startswith("127.0.0.1:"), "without TLS only this machine may come in"
