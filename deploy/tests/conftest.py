"""What every test of `deploy/` can ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit import objects, render
from kit.objects import Object


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what is rendered."""
    return render.copy_tree(tmp_path_factory.mktemp("deploy"))


@pytest.fixture(scope="session")
def renderings(tree: Path) -> dict[str, list[Object]]:
    """The objects of every rendering."""
    return {
        name: objects.load(render.kustomize(tree / folder))
        for name, folder in render.RENDERINGS.items()
    }


@pytest.fixture(params=render.RENDERINGS)
def rendering(request: pytest.FixtureRequest, renderings: dict[str, list[Object]]) -> list[Object]:
    """Each rendering in turn."""
    return renderings[request.param]
