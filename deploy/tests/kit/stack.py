"""A small installation that runs.

Invariant: it holds what was started, and starts nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kit.containers import Cluster, Played


@dataclass
class Stack:
    """A small installation that runs: one pod of each workload."""

    cluster: Cluster
    redis: Played
    game: Played
    bots: Played
    secrets: Path

    @property
    def platform(self) -> str:
        """The credential of the platform."""
        return (self.secrets / "platform" / "credential").read_text(encoding="utf-8").strip()

    @property
    def api(self) -> str:
        return self.game.address("grpc")
