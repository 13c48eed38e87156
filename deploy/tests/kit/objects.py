"""Rendered objects, and the few ways of looking at them that the checks need.

Invariant: nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

Object = dict[str, Any]

WORKLOADS = ("Deployment", "StatefulSet", "Job", "DaemonSet")


def load(text: str) -> list[Object]:
    """The objects of a rendered text, in its order."""
    return [found for found in yaml.safe_load_all(text) if found]


def label(found: Object) -> str:
    """How a problem names an object."""
    return f"{found['kind']}/{found['metadata']['name']}"


def of_kind(objects: list[Object], *kinds: str) -> list[Object]:
    return [found for found in objects if found["kind"] in kinds]


def named(objects: list[Object], kind: str, name: str) -> Object:
    """The one object of a kind with a name."""
    [found] = [found for found in of_kind(objects, kind) if found["metadata"]["name"] == name]
    return found


def workloads(objects: list[Object]) -> list[Object]:
    return of_kind(objects, *WORKLOADS)


def pod(workload: Object) -> Object:
    """The template of a workload's pods."""
    return workload["spec"]["template"]


def containers(workload: Object) -> list[Object]:
    spec = pod(workload)["spec"]
    return spec.get("initContainers", []) + spec["containers"]


def labels_of(workload: Object) -> dict[str, str]:
    return pod(workload)["metadata"].get("labels", {})


def selects(selector: Object, labels: dict[str, str]) -> bool:
    """Whether a label selector selects. Expressions are not used here, and so not understood."""
    assert "matchExpressions" not in selector, "a selector with expressions: teach it to the kit"
    return selector.get("matchLabels", {}).items() <= labels.items()


def selected(objects: list[Object], selector: Object) -> list[Object]:
    """The workloads whose pods a selector selects."""
    return [found for found in workloads(objects) if selects(selector, labels_of(found))]


def ports_of(workload: Object) -> dict[str, int]:
    """The declared ports by name."""
    every = [port for one in containers(workload) for port in one.get("ports", [])]
    return {port["name"]: port["containerPort"] for port in every}


def environment(objects: list[Object], container: Object) -> dict[str, str]:
    """What a container finds in its environment, as far as it is no secret."""
    found: dict[str, str] = {}
    for source in container.get("envFrom", []):
        config = named(objects, "ConfigMap", source["configMapRef"]["name"])
        found |= config["data"]
    found |= {one["name"]: one.get("value", "") for one in container.get("env", [])}
    return found


def strings(found: Any) -> Iterator[str]:
    """Every text within."""
    if isinstance(found, str):
        yield found
    elif isinstance(found, dict):
        for value in found.values():
            yield from strings(value)
    elif isinstance(found, list):
        for value in found:
            yield from strings(value)


def quantity(text: str | int | float) -> float:
    """A quantity of Kubernetes as a number: cores or bytes."""
    units = {"m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
    text = str(text)
    for unit in sorted(units, key=len, reverse=True):
        if text.endswith(unit):
            return float(text.removesuffix(unit)) * units[unit]
    return float(text)


def seconds(text: str) -> float:
    """A length of time as the services write it."""
    units = {"ms": 1e-3, "s": 1, "m": 60, "h": 3600}
    for unit in sorted(units, key=len, reverse=True):
        number = text.removesuffix(unit)
        if number != text and number.isdigit():
            return int(number) * units[unit]
    raise ValueError(f"{text!r} is no length of time")
