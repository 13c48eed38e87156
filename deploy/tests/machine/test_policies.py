"""Policies over the renderings: what is valid and still should not be."""

from __future__ import annotations

import copy
from pathlib import Path

from kit import objects as o, tools
from kit.objects import Object


def test_renderings_pass_the_policies(rendering: list[Object], tmp_path: Path) -> None:
    path = tools.dump(rendering, tmp_path / "objects.yaml")
    assert tools.checkov(path, "kubernetes", tools.CHECKOV_SKIPPED) == []


def test_a_breach_of_a_policy_is_noticed(renderings: dict[str, list[Object]], tmp_path: Path) -> None:
    broken = copy.deepcopy(renderings["base"])
    game = o.named(broken, "Deployment", "game-service")
    o.containers(game)[0]["securityContext"]["privileged"] = True
    path = tools.dump(broken, tmp_path / "objects.yaml")
    found = " ".join(tools.checkov(path, "kubernetes", tools.CHECKOV_SKIPPED))
    assert "CKV_K8S_16" in found
