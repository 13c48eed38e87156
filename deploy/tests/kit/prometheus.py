"""Prometheus' own tools over our rules and queries.

Invariant: what is tested is the file that operators load.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import yaml

from kit.places import DEPLOY

MONITORING = DEPLOY / "components" / "monitoring"
RULES = MONITORING / "rules.yaml"


def rules() -> dict[str, Any]:
    return yaml.safe_load(RULES.read_text(encoding="utf-8"))


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


def run_cases(cases: list[dict[str, Any]], folder: Path) -> str:
    """Runs unit tests of promtool over the rules; what differs, or nothing."""
    path = folder / "cases.yaml"
    text = {"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": cases}
    path.write_text(yaml.safe_dump(text, sort_keys=False), encoding="utf-8")
    done = promtool("test", "rules", path)
    return "" if done.returncode == 0 else done.stdout + done.stderr
