"""Alerts over time: which fire, and which do not, when the service does what they are about.

Every case begins with an installation that is well and changes some of its series. It says exactly
which alerts fire at its end, so that one that fires beside them is seen too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kit import objects, prometheus
from kit.objects import Object

DAYS = 24 * 60
CALLS = "rpc_server_call_duration_seconds"
SUBMIT = 'rpc_method="handfoot.v1.PlayService/SubmitActions"'
STORE = "handfoot_store_operation_duration_seconds"
LAG = "handfoot_delivery_lag_seconds"
TURN = "handfoot_bot_turn_lag_seconds"


def replica(number: int) -> str:
    return f'job="game-service", instance="game-{number}"'


def rate(per_minute: int) -> str:
    return f"0+{per_minute}x" + "{n}"


def level(value: int) -> str:
    return f"{value}+0x" + "{n}"


# A thousand calls a minute and two replicas, all well.
WELL: dict[str, str] = {
    f'{CALLS}_count{{{SUBMIT}, rpc_response_status_code="OK"}}': rate(1000),
    f'{CALLS}_bucket{{{SUBMIT}, le="0.05"}}': rate(1000),
    f'{CALLS}_bucket{{{SUBMIT}, le="+Inf"}}': rate(1000),
    f'{LAG}_bucket{{le="0.25"}}': rate(1000),
    f'{LAG}_bucket{{le="+Inf"}}': rate(1000),
    f"{LAG}_count": rate(1000),
    f'{STORE}_count{{operation="commit", result="ok"}}': rate(1000),
    f'{STORE}_bucket{{operation="commit", le="0.005"}}': rate(1000),
    f'{STORE}_bucket{{operation="commit", le="0.25"}}': rate(1000),
    f'{STORE}_bucket{{operation="commit", le="+Inf"}}': rate(1000),
    'handfoot_commits_total{outcome="committed"}': rate(1000),
    'handfoot_commits_total{outcome="conflict"}': rate(10),
    'handfoot_diverged_total{found_by="replica"}': level(0),
    'handfoot_diverged_total{found_by="watcher"}': rate(1),
    f'{TURN}_bucket{{le="0.1"}}': rate(100),
    f'{TURN}_bucket{{le="10.0"}}': rate(100),
    f'{TURN}_bucket{{le="+Inf"}}': rate(100),
    f'handfoot_tables{{state="playing", rules_revision="1", {replica(1)}}}': level(30_000),
    f'handfoot_tables{{state="playing", rules_revision="1", {replica(2)}}}': level(30_000),
    'up{job="bot-service", instance="bots-1"}': level(1),
    "handfoot_bot_tasks_open": level(8),
    "handfoot_bot_tasks_max": level(64),
    "handfoot_bot_tasks_taken_total": rate(100),
    'handfoot_bot_tasks_ended_early_total{cause="given_back"}': rate(10),
} | {
    f"{name}{{{labels}{replica(number)}}}": level(1)
    for number in (1, 2)
    for name, labels in (
        ("up", ""),
        ("handfoot_ready", ""),
        ("process_start_time_seconds", ""),
        ("handfoot_build_info", 'program="game-service", version="1", '),
    )
}


@dataclass
class Case:
    """What is different, for how long, and what fires then."""

    name: str
    fires: set[str]
    series: dict[str, str] = field(default_factory=dict)
    minutes: int = 200
    without: str = "(nothing)"

    def as_test(self) -> dict[str, object]:
        series = {k: v for k, v in (WELL | self.series).items() if not re.match(self.without, k)}
        samples = [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in sorted(self.fires)]
        # A long history is sampled and looked at less often: it says the same, sooner.
        step = 1 if self.minutes < DAYS else 5
        n = self.minutes // step
        query = 'group by (alertname) (ALERTS{alertstate="firing"})'
        return {
            "name": self.name,
            "interval": f"{step}m",
            "input_series": [
                {"series": name, "values": value.replace("{n}", str(n))} for name, value in series.items()
            ],
            "promql_expr_test": [
                {"expr": query, "eval_time": f"{self.minutes}m", "exp_samples": samples}
            ],
        }


def submissions(labels: str, per_minute: int) -> dict[str, str]:
    """Submissions that end in another way than the usual ones, and as quickly: a count comes first."""
    of_histogram = {f'{CALLS}_bucket{{{SUBMIT}, {labels}, le="{le}"}}': rate(per_minute) for le in ("0.05", "+Inf")}
    return {f"{CALLS}_count{{{SUBMIT}, {labels}}}": rate(per_minute)} | of_histogram


def failing(per_minute: int) -> dict[str, str]:
    return submissions('rpc_response_status_code="UNAVAILABLE", error_type="UNAVAILABLE"', per_minute)


def refused(per_minute: int) -> dict[str, str]:
    return submissions('rpc_response_status_code="ABORTED"', per_minute)


def slow(per_minute: int) -> dict[str, str]:
    return {f'{CALLS}_bucket{{{SUBMIT}, le="0.05"}}': rate(1000 - per_minute)}


def late(per_minute: int) -> dict[str, str]:
    return {f'{LAG}_bucket{{le="0.25"}}': rate(1000 - per_minute)}


def store(result: str, per_minute: int) -> dict[str, str]:
    return {f'{STORE}_count{{operation="commit", result="{result}"}}': rate(per_minute)}


def every(promise: str) -> set[str]:
    """The alerts of a promise. What trips a quick one for hours trips the slower ones as well: a
    history that begins with it is all that they look at."""
    return {f"Handfoot{promise}{pace}" for pace in ("Fast", "Steady", "Slow")}


CASES = [
    Case("all is well", set(), minutes=4 * DAYS),
    Case("many are refused by the rules", set(), refused(500)),
    Case("an outage of a minute", set(), {list(failing(1))[0]: "0x190 1000+0x99"}),
    Case("two calls of a hundred fail", every("CallsFail"), failing(20), 8 * 60),
    Case("one call of a hundred fails", every("CallsFail") - {"HandfootCallsFailFast"}, failing(10), 8 * 60),
    Case("one call of five hundred fails", {"HandfootCallsFailSlow"}, failing(2), 4 * DAYS),
    Case("one call of two thousand fails, which is within the budget", set(), {list(failing(1))[0]: "0+0.5x{n}"}, 4 * DAYS),
    Case("a method that does not exist is called", set(), {f'{CALLS}_count{{rpc_method="_OTHER", error_type="UNIMPLEMENTED"}}': rate(900)}),
    Case("a fifth of submissions is slow", every("SubmissionsSlow"), slow(200), 8 * 60),
    Case("a tenth of submissions is slow", every("SubmissionsSlow") - {"HandfootSubmissionsSlowFast"}, slow(100), 8 * 60),
    Case("a fiftieth of submissions is slow", {"HandfootSubmissionsSlowSlow"}, slow(20), 4 * DAYS),
    Case("a fifth of commits comes late", every("DeliveriesLate"), late(200), 8 * 60),
    Case("a tenth of commits comes late", every("DeliveriesLate") - {"HandfootDeliveriesLateFast"}, late(100), 8 * 60),
    Case("a fiftieth of commits comes late", {"HandfootDeliveriesLateSlow"}, late(20), 4 * DAYS),
    Case("no replica is ready", {"HandfootNoReplica", "HandfootReplicaNotReady"}, {f"handfoot_ready{{{replica(n)}}}": level(0) for n in (1, 2)}),
    Case("no replica is there", {"HandfootNoReplica"}, without=r"(handfoot_ready|up.*game)"),
    Case("a replica is not ready", {"HandfootReplicaNotReady"}, {f"handfoot_ready{{{replica(1)}}}": level(0)}),
    Case("a replica cannot be reached", {"HandfootReplicaDown"}, {f"up{{{replica(1)}}}": level(0)}),
    Case("a replica starts again and again", {"HandfootRestarts"}, {f"process_start_time_seconds{{{replica(1)}}}": "1+1x{n}"}),
    Case("a replica started anew", set(), {f"process_start_time_seconds{{{replica(1)}}}": "1x195 2x99"}),
    Case("a rollout stands still", {"HandfootVersionsMixed"}, {f'handfoot_build_info{{program="game-service", version="2", {replica(3)}}}': level(1)}),
    Case("a rollout goes on", set(), {f'handfoot_build_info{{program="game-service", version="2", {replica(3)}}}': "_x170 1x99"}),
    Case("the store is away", {"HandfootStoreAway"}, store("unavailable", 1000)),
    Case("the store was away for a moment", set(), store("unavailable", 20)),
    Case("the disk is full", {"HandfootStoreFull"}, store("full", 1)),
    Case("a limit is reached", {"HandfootStoreFull"}, store("limit", 1)),
    Case("a table cannot be read", {"HandfootStoreCorrupt"}, store("corrupt", 1)),
    Case("the store is slow", {"HandfootStoreSlow"}, {f'{STORE}_bucket{{operation="commit", le="0.005"}}': rate(900)}),
    Case("the store has lost commits", {"HandfootDiverged"}, {'handfoot_diverged_total{found_by="replica"}': "0x195 1x99"}),
    Case("clients say that it has", set(), {'handfoot_diverged_total{found_by="request"}': rate(100)}),
    Case("a third of commits comes too late", {"HandfootConflicts"}, {'handfoot_commits_total{outcome="conflict"}': rate(500)}),
    Case("many tables", {"HandfootTablesNearLimit"}, {f'handfoot_tables{{state="finished", rules_revision="1", {replica(1)}}}': level(51_000)}),
    Case("no bots", {"HandfootNoBots", "HandfootReplicaDown"}, {'up{job="bot-service", instance="bots-1"}': level(0)}),
    Case("no bot-service at all", {"HandfootNoBots"}, without="up.*bot-service"),
    Case("bots are busy", {"HandfootBotsBusy"}, {"handfoot_bot_tasks_open": level(60)}),
    Case("bots lose their leases", {"HandfootBotsFail"}, {'handfoot_bot_tasks_ended_early_total{cause="lease_lost"}': rate(5)}),
    Case("bots are late", {"HandfootBotsLate"}, {f'{TURN}_bucket{{le="0.1"}}': rate(80)}),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_alerts_fire_when_they_should_and_no_others(case: Case, tmp_path: Path) -> None:
    assert prometheus.run_case(case.as_test(), tmp_path) == ""


def test_every_alert_was_seen_to_fire() -> None:
    fired = {name for case in CASES for name in case.fires}
    assert fired == prometheus.alerts().keys()


def test_a_wrong_expectation_is_noticed(tmp_path: Path) -> None:
    case = Case("all is well", {"HandfootNoReplica"})
    assert "HandfootNoReplica" in prometheus.run_case(case.as_test(), tmp_path)


def test_the_rules_are_well_formed() -> None:
    done = prometheus.promtool("check", "rules", "--lint-fatal", prometheus.RULES)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_limit_of_tables_is_that_of_the_configuration(renderings: dict[str, list[Object]]) -> None:
    game = objects.named(renderings["base"], "Deployment", "game-service")
    [container] = objects.containers(game)
    limit = int(objects.environment(renderings["base"], container)["HANDFOOT_TABLES_MAX"])
    alert = prometheus.alerts()["HandfootTablesNearLimit"]
    assert alert["expr"].endswith(f"> {limit * 8 // 10}")
    assert f"of {limit} " in alert["annotations"]["summary"]
