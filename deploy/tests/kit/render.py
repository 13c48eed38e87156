"""Renders what stands in `deploy/` as an operator would.

Invariant: the tree is not written to. Secrets of an overlay that makes its own are made in a copy.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from kit.places import DEPLOY, TOOLS

# Every rendering that is checked, by its folder under deploy/.
RENDERINGS = {
    "base": "base",
    "dev": "overlays/dev",
    "production": "overlays/production",
    "cluster": "tests/overlays/cluster",
}

# What an apply needs and no rendering makes: the operator does.
PARTS = ("base", "components", "overlays", "tests/overlays")


def copy_tree(to: Path) -> Path:
    """A copy of what is rendered, with secrets for the overlay that makes its own."""
    for part in PARTS:
        if (DEPLOY / part).is_dir():
            ignored = shutil.ignore_patterns("secrets")
            shutil.copytree(DEPLOY / part, to / part, ignore=ignored)
    make_secrets(to / "overlays" / "dev" / "secrets")
    return to


def make_secrets(folder: Path, store: str | None = None) -> Path:
    command = [DEPLOY / "new-secrets", folder, *([store] if store else [])]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder


def kustomize(folder: Path) -> str:
    """What an apply of a folder would send."""
    command = [TOOLS / "bin" / "kubectl", "kustomize", folder]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{folder} is not rendered without a complaint:\n{done.stderr}")
    return done.stdout
