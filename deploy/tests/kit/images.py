"""Compiling what goes into images.

Invariant: it is done by the script that operators use.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def compile_into(folder: Path, tree: Path, **environment: str) -> None:
    """Compiles a tree as an operator does; cargo-auditable is installed where it is missing."""
    subprocess.run(
        [tree / "deploy" / "images" / "build", "--compile-only", folder],
        check=True,
        env=os.environ | environment,
    )
