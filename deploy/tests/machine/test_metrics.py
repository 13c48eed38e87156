"""What rules and dashboards ask for is what the programs that run tell."""

from __future__ import annotations

import re
import subprocess
import urllib.request

from kit import prometheus
from kit.containers import Played
from kit.stack import Stack

# What Prometheus puts to every sample, by components/monitoring.
OF_PROMETHEUS = {"job", "instance", "namespace", "pod"}
NOT_OURS = {"up"}
MATCHERS = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)\{([^}]*)\}")


def told(played: Played) -> str:
    with urllib.request.urlopen(f"http://{played.address('metrics')}/metrics", timeout=5) as answer:
        return answer.read().decode()


def labels_of(text: str) -> dict[str, set[str]]:
    """The names of labels by the name of a sample."""
    found: dict[str, set[str]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, rest = line.partition("{")
            labels = re.findall(r'([a-z_]+)="', rest) if rest else []
            found.setdefault(name.split(" ")[0], set()).update(labels)
    return found


def test_every_query_finds_its_metrics_and_labels(stack: Stack, played_game: None) -> None:
    live: dict[str, set[str]] = {}
    for played in (stack.game, stack.bots):
        for name, labels in labels_of(told(played)).items():
            live.setdefault(name, set()).update(labels)
    for where, query in prometheus.queries().items():
        names = {name for name in prometheus.metrics_of(query) if ":" not in name} - NOT_OURS
        assert names <= live.keys(), f"{where}: nobody tells {names - live.keys()}"
        for name, matchers in MATCHERS.findall(query):
            asked = set(re.findall(r"([a-z_]+) *[=!]", matchers)) - OF_PROMETHEUS
            if name not in NOT_OURS:
                # A label is absent where its value would be empty.
                known = live[name] | {"error_type"}
                assert asked <= known, f"{where}: {name} has no {asked - known}"


def test_metrics_are_named_as_they_should_be(stack: Stack, played_game: None) -> None:
    for played in (stack.game, stack.bots):
        done = subprocess.run(
            ["promtool", "check", "metrics"], input=told(played), capture_output=True, text=True
        )
        assert done.returncode == 0 and done.stdout + done.stderr == "", done.stdout + done.stderr


def test_every_query_is_understood(tmp_path) -> None:
    assert prometheus.check_queries(prometheus.queries(), tmp_path) == ""
    assert prometheus.check_queries({"bad": "sum(rate(x[5m])"}, tmp_path) != ""


def test_a_metric_that_nobody_tells_is_noticed(stack: Stack) -> None:
    assert "handfoot_nothing" not in labels_of(told(stack.game))
    assert prometheus.metrics_of("rate(handfoot_nothing[5m])") == {"handfoot_nothing"}


