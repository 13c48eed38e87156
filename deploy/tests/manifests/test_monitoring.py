"""Rules and dashboards fit together and lead to the guide. Over time they are tested elsewhere."""

from __future__ import annotations

import json
import os
import re

import pytest

from kit import prometheus
from kit.places import DEPLOY, ROOT

SEVERITIES = {"page", "ticket"}
# What Prometheus and the objects around it give, and no program does.
NOT_OURS = {"up"}


def test_the_operator_gets_the_rules_that_are_tested() -> None:
    if os.environ.get("HANDFOOT_REWRITE"):
        prometheus.OPERATOR_RULES.write_text(prometheus.operator_rules(), encoding="utf-8")
    assert prometheus.OPERATOR_RULES.read_text(encoding="utf-8") == prometheus.operator_rules()


def test_every_alert_says_what_to_do() -> None:
    for name, alert in prometheus.alerts().items():
        assert alert["labels"]["severity"] in SEVERITIES, name
        assert alert["annotations"].keys() == {"summary", "description", "runbook"}, name


def headings() -> set[str]:
    """The anchors of the guide."""
    text = (DEPLOY / "README.md").read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_alert_leads_to_a_section_of_the_guide() -> None:
    for name, alert in prometheus.alerts().items():
        path, _, anchor = alert["annotations"]["runbook"].partition("#")
        assert (ROOT / path).is_file() and anchor in headings(), f"{name}: {path}#{anchor}"


def test_the_guide_has_no_section_of_an_alert_that_is_not_there() -> None:
    led_to = {a["annotations"]["runbook"].partition("#")[2] for a in prometheus.alerts().values()}
    assert {anchor for anchor in headings() if anchor.startswith("handfoot")} == led_to


@pytest.mark.parametrize("path", prometheus.DASHBOARDS, ids=lambda path: path.stem)
def test_a_dashboard_is_whole(path) -> None:
    board = json.loads(path.read_text(encoding="utf-8"))
    assert board["uid"] == f"handfoot-{path.stem}" and board["title"] and board["description"]
    ids = [panel["id"] for panel in board["panels"]]
    assert len(ids) == len(set(ids))
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in board["panels"]]
    assert len(places) == len(set(places)), "two panels are at one place"
    for panel in prometheus.panels(path):
        where = panel["title"]
        assert panel["description"] and panel["fieldConfig"]["defaults"]["unit"], where
        assert panel["datasource"]["uid"] == "${datasource}", where
        assert panel["targets"], where
        for target in panel["targets"]:
            assert target["expr"] and target["legendFormat"], where


def test_records_that_are_read_are_made() -> None:
    made = {r["record"] for g in prometheus.rules()["groups"] for r in g["rules"] if "record" in r}
    read = set().union(*map(prometheus.metrics_of, prometheus.queries().values()))
    assert {name for name in read if ":" in name} <= made


def test_names_are_found_in_queries() -> None:
    query = 'sum by (a_b) (rate(x_total{c_d="e_f"}[5m])) / on (g_h) y:z > histogram_quantile(0.9, w_bucket)'
    assert prometheus.metrics_of(query) == {"x_total", "y:z", "w_bucket"}
