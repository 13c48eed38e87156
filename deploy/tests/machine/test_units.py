"""systemd and Compose by what they themselves say of our files."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kit import programs
from kit.places import DEPLOY

# What systemd-analyze says of a unit that needs the network and nothing else; from 0 to 10, and
# most units have 9.
EXPOSURE_MAX = 2.0


def copy_of(program: str, folder: Path) -> Path:
    """The unit, with a program that is there."""
    path = folder / f"handfoot-{program}.service"
    text = (DEPLOY / "systemd" / path.name).read_text(encoding="utf-8")
    path.write_text(text.replace(f"/usr/local/bin/{program}", str(programs.program(program))), encoding="utf-8")
    return path


@pytest.mark.parametrize("program", programs.NAMES)
def test_a_unit_is_understood(program: str, tmp_path: Path) -> None:
    path = copy_of(program, tmp_path)
    for one in programs.NAMES:
        copy_of(one, tmp_path)
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True)
    ours = [line for line in done.stderr.splitlines() if path.name in line]
    assert ours == [], done.stderr


def test_a_misspelt_setting_is_noticed(tmp_path: Path) -> None:
    path = copy_of("game-service", tmp_path)
    text = path.read_text(encoding="utf-8").replace("TimeoutStopSec", "TimeoutStopSecs")
    path.write_text(text, encoding="utf-8")
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True)
    assert "TimeoutStopSecs" in done.stderr


@pytest.mark.parametrize("program", programs.NAMES)
def test_a_unit_is_closed(program: str, tmp_path: Path) -> None:
    path = copy_of(program, tmp_path)
    command = ["systemd-analyze", "security", "--offline=yes", "--no-pager", path]
    done = subprocess.run(command, capture_output=True, text=True)
    exposure = re.search(r"exposure level for \S+: ([0-9.]+)", done.stdout)
    assert exposure, done.stdout + done.stderr
    assert float(exposure[1]) <= EXPOSURE_MAX, done.stdout


def test_compose_is_understood(tmp_path: Path) -> None:
    checker = Path(sys.executable).parent / "check-jsonschema"
    command = [checker, "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*command, DEPLOY / "compose" / "compose.yaml"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    broken = Path(shutil.copy(DEPLOY / "compose" / "compose.yaml", tmp_path))
    broken.write_text(broken.read_text(encoding="utf-8").replace("cap_drop:", "cap_dropped:"), encoding="utf-8")
    done = subprocess.run([*command, broken], capture_output=True, text=True)
    assert done.returncode == 1, "a misspelt field is noticed"
