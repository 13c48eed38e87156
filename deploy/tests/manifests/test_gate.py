"""Every rendering passes every check."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit import checks, objects, tools
from kit.objects import Object
from kit.places import DEPLOY


def yaml_files() -> list[Path]:
    every = sorted(DEPLOY.rglob("*.yaml"))
    return [path for path in every if "secrets" not in path.parts]


@pytest.mark.parametrize("path", yaml_files(), ids=lambda path: str(path.relative_to(DEPLOY)))
def test_files_are_written_as_all_others(path: Path) -> None:
    assert tools.lint(path) == []


@pytest.mark.parametrize("version", tools.KUBERNETES)
def test_objects_fit_the_schemas(rendering: list[Object], version: str) -> None:
    assert tools.schema(rendering, version) == []


def test_objects_fit_the_models(rendering: list[Object]) -> None:
    assert tools.models(rendering) == []


@pytest.mark.parametrize("check", checks.ALL, ids=lambda check: check.__name__)
def test_objects_fit_together(rendering: list[Object], check: checks.Check) -> None:
    assert list(check(rendering)) == []


def test_the_base_holds_no_secret(renderings: dict[str, list[Object]]) -> None:
    for name in ("base", "production"):
        assert objects.of_kind(renderings[name], "Secret") == [], name


def test_production_is_what_the_guide_promises(renderings: dict[str, list[Object]]) -> None:
    production = renderings["production"]
    for scaler in objects.of_kind(production, "HorizontalPodAutoscaler"):
        assert scaler["spec"]["minReplicas"] >= 3
    assert objects.of_kind(production, "StatefulSet") == [], "its Redis is outside"
    for found in objects.of_kind(production, "Deployment"):
        spreads = objects.pod(found)["spec"]["topologySpreadConstraints"]
        how = {one["topologyKey"]: one["whenUnsatisfiable"] for one in spreads}
        assert how["topology.kubernetes.io/zone"] == "DoNotSchedule"


def test_the_ways_between_pods_are_these(renderings: dict[str, list[Object]]) -> None:
    """Who may speak to whom, all of it; a way that is opened by mistake is seen here."""
    assert ways(renderings["base"]) == {
        ("bot-service", "game-service", 50051),
        ("handfoot/calls-game-service", "game-service", 50051),
        ("game-service", "redis", 6379),
    }


def ways(rendering: list[Object]) -> set[tuple[str, str, int]]:
    """The ways that are opened on both sides, within the namespace."""
    out, into = set(), set()
    for policy in objects.of_kind(rendering, "NetworkPolicy"):
        own = objects.selected(rendering, policy["spec"]["podSelector"])
        names = [found["metadata"]["name"] for found in own]
        for rule in policy["spec"].get("egress", []):
            into_ours = [peer["podSelector"] for peer in rule["to"] if "namespaceSelector" not in peer]
            for peer in into_ours:
                goals = objects.selected(rendering, peer)
                out |= {
                    (name, goal["metadata"]["name"], port["port"])
                    for name in names
                    for goal in goals
                    for port in rule["ports"]
                }
        for rule in policy["spec"].get("ingress", []):
            for peer in rule["from"]:
                label = peer["podSelector"]["matchLabels"]
                source = label.get("app.kubernetes.io/name") or next(iter(label))
                into |= {(source, name, port["port"]) for name in names for port in rule["ports"]}
    inside = {found["metadata"]["name"] for found in objects.workloads(rendering)}
    assert {way for way in into if way[0] in inside} == out, "open on one side only"
    return into
