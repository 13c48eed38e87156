"""Prometheus' own tools over our rules and queries.

Invariant: what is tested is the file that operators load.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import yaml

from kit.places import DEPLOY

MONITORING = DEPLOY / "components" / "monitoring"
RULES = MONITORING / "rules.yaml"
OPERATOR_RULES = MONITORING / "prometheus-rule.yaml"
DASHBOARDS = sorted((MONITORING / "dashboards").glob("*.json"))

# Grafana puts the interval of a panel here.
GRAFANA_INTERVAL = "$__rate_interval"

FUNCTIONS = {"histogram_quantile"}

OPERATOR_RULES_HEAD = """\
---
# The same as rules.yaml, as the Prometheus Operator takes it. Made from it:
#   HANDFOOT_REWRITE=1 ./deploy/check manifests/test_monitoring.py
"""


def rules() -> dict[str, Any]:
    return yaml.safe_load(RULES.read_text(encoding="utf-8"))


def operator_rules() -> str:
    """What prometheus-rule.yaml must be."""
    made = {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {
            "name": "handfoot",
            "namespace": "handfoot",
            "labels": {"app.kubernetes.io/part-of": "handfoot"},
        },
        "spec": rules(),
    }
    return OPERATOR_RULES_HEAD + yaml.dump(made, Dumper=Indented, sort_keys=False, width=100)


class Indented(yaml.SafeDumper):
    """Writes lists as yamllint.yaml wants them."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, indentless=False)


def panels(dashboard: Path) -> list[dict[str, Any]]:
    """The panels of a dashboard that show something."""
    every = json.loads(dashboard.read_text(encoding="utf-8"))["panels"]
    return [panel for panel in every if panel["type"] != "row"]


def queries() -> dict[str, str]:
    """Every query of rules and dashboards, by where it stands."""
    found = {}
    for group in rules()["groups"]:
        for rule in group["rules"]:
            found[rule.get("alert") or rule["record"]] = rule["expr"]
    for dashboard in DASHBOARDS:
        for panel in panels(dashboard):
            for target in panel["targets"]:
                name = f"{dashboard.stem}: {panel['title']}: {target['legendFormat']}"
                found[name] = target["expr"].replace(GRAFANA_INTERVAL, "5m")
    return found


def metrics_of(query: str) -> set[str]:
    """The metrics that a query reads: what could be a name, has an underscore or a colon, and is
    followed by no call, and stands in no braces, brackets or list of labels."""
    bare = re.sub(r"\{[^}]*\}|\[[^]]*\]|\"[^\"]*\"|\b(by|without|on|ignoring) *\([^)]*\)", " ", query)
    names = re.findall(r"[a-zA-Z_:][a-zA-Z0-9_:]*(?! *\()\b", bare)
    return {name for name in names if "_" in name or ":" in name} - FUNCTIONS | (
        {"up"} if re.search(r"\bup\b", bare) else set()
    )


def alerts() -> dict[str, dict[str, Any]]:
    """Every alert by its name."""
    every = [rule for group in rules()["groups"] for rule in group["rules"]]
    return {rule["alert"]: rule for rule in every if "alert" in rule}


def promtool(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["promtool", *arguments], capture_output=True, text=True)


def check_queries(queries: dict[str, str], folder: Path) -> str:
    """What is wrong with the syntax of queries, by name; nothing if all are well."""
    records = [{"record": f"query:{n}", "expr": query} for n, query in enumerate(queries.values())]
    path = folder / "queries.yaml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": records}]}), encoding="utf-8")
    done = promtool("check", "rules", path)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def run_case(case: dict[str, Any], folder: Path) -> str:
    """Runs a unit test of promtool over the rules; what differs, or nothing."""
    path = folder / "cases.yaml"
    text = {"rule_files": [str(RULES)], "evaluation_interval": case["interval"], "tests": [case]}
    path.write_text(yaml.safe_dump(text, sort_keys=False), encoding="utf-8")
    done = promtool("test", "rules", path)
    return "" if done.returncode == 0 else done.stdout + done.stderr
