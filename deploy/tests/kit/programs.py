"""What the built programs say of themselves.

Invariant: variables are asked of the programs, never copied from their source.
"""

from __future__ import annotations

import functools
import re
import subprocess
from pathlib import Path

from kit.places import PROGRAMS

NAMES = ("game-service", "bot-service")
VARIABLE = re.compile(r"\[env: ([A-Z][A-Z0-9_]*)")


@functools.cache
def help_of(program: str) -> str:
    return subprocess.run(
        [PROGRAMS / program, "--help"], check=True, capture_output=True, text=True
    ).stdout


def variables(program: str) -> set[str]:
    """The variables that a manifest sets: of a secret the one that names its file."""
    every = set(VARIABLE.findall(help_of(program)))
    assert every, f"{program} --help names no variable"
    return {name for name in every if f"{name}_FILE" not in every}


def secrets(program: str) -> set[str]:
    """The variables that hold a secret themselves; none may stand in a manifest."""
    files = {name.removesuffix("_FILE") for name in variables(program) if name.endswith("_FILE")}
    return {name for name in files if name in help_of(program)}


def print_config(program: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """What a program makes of an environment, without starting."""
    return subprocess.run(
        [PROGRAMS / program, "--print-config"], env=environment, capture_output=True, text=True
    )


def program(name: str) -> Path:
    return PROGRAMS / name
