"""Connections to the service, and tables with their seats.

Invariant: a seat is named by its token and by nothing else. Deadlines and retries are those of the
contract's own service config.
"""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any, Callable

import grpc
from handfoot.v1 import (
    rules_pb2,
    rules_service_pb2,
    rules_service_pb2_grpc,
    table_pb2,
    table_service_pb2,
    table_service_pb2_grpc,
)

SERVICE_CONFIG = Path(__file__).parents[3] / "proto" / "service_config.json"


def _policy() -> tuple[str, dict[str, float | None]]:
    """The service config without deadlines, and the deadlines in seconds by method or service.

    gRPC's own reading of a deadline of the config comes out one to two seconds short (grpcio 1.85
    takes the start of a call from another clock), which leaves nothing of two seconds.
    """
    config = json.loads(SERVICE_CONFIG.read_text(encoding="utf-8"))
    deadlines: dict[str, float | None] = {}
    for entry in config["methodConfig"]:
        timeout = entry.pop("timeout", None)
        for name in entry["name"]:
            seconds = float(timeout.removesuffix("s")) if timeout else None
            deadlines[f"/{name['service']}/{name.get('method', '')}"] = seconds
    return json.dumps(config), deadlines


POLICY, DEADLINES_S = _policy()

OPTIONS = (
    ("grpc.service_config", POLICY),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    # Otherwise equal channels share one connection, and closing one would close nothing.
    ("grpc.use_local_subchannel_pool", 1),
)


def deadline_s(method: str) -> float | None:
    service = method.rpartition("/")[0] + "/"
    return DEADLINES_S[method] if method in DEADLINES_S else DEADLINES_S.get(service)


class Calls(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):
    """Puts a credential, if there is one, and the deadline on every call."""

    def __init__(self, credential: str | None) -> None:
        self._entries = [("authorization", f"Bearer {credential}")] if credential else []

    def _call(self, continuation: Callable[..., Any], details: Any, request: Any) -> Any:
        metadata = [*(details.metadata or ()), *self._entries]
        timeout = details.timeout or deadline_s(details.method)
        return continuation(details._replace(metadata=metadata, timeout=timeout), request)

    intercept_unary_unary = _call
    intercept_unary_stream = _call


def connect(address: str, credential: str | None = None) -> grpc.Channel:
    """A connection of its own, whose calls carry the credential."""
    channel = grpc.insecure_channel(address, options=OPTIONS)
    return grpc.intercept_channel(channel, Calls(credential))


def preset_of_rounds(channel: grpc.Channel, preset_id: str, rounds: int) -> rules_pb2.RulesChoice:
    """A preset, but with so many rounds."""
    rules = rules_service_pb2_grpc.RulesServiceStub(channel)
    request = rules_service_pb2.GetPresetRequest(preset_id=preset_id)
    length = rules.GetPreset(request).preset.rules.length
    length.rounds = rounds
    length.ClearField("target")
    changes = rules_pb2.RulesDraft(length=length)
    return rules_pb2.RulesChoice(preset_id=preset_id, changes=changes)


class Table:
    """One table, as the platform that runs it."""

    def __init__(
        self, channel: grpc.Channel, request: table_service_pb2.CreateTableRequest
    ) -> None:
        self._tables = table_service_pb2_grpc.TableServiceStub(channel)
        self.table_id: str = self._tables.CreateTable(request).table.table_id

    @staticmethod
    def create(channel: grpc.Channel, rules: rules_pb2.RulesChoice, seed: int) -> Table:
        """A new table whose deals the seed fixes."""
        request = table_service_pb2.CreateTableRequest(
            request_id=str(uuid.uuid4()), rules=rules, first_dealer=1, chosen_seed=seed
        )
        return Table(channel, request)

    def get(self) -> table_pb2.Table:
        request = table_service_pb2.GetTableRequest(table_id=self.table_id)
        return self._tables.GetTable(request).table

    @property
    def seats(self) -> range:
        return range(1, len(self.get().seats) + 1)

    def seat_person(self, seat: int) -> None:
        person = table_pb2.Person(player_id=f"person-{seat}", display_name=f"Person {seat}")
        self._set(seat, person=person)

    def seat_bot(self, seat: int, level: str) -> None:
        self._set(seat, bot=table_pb2.Bot(level=level))

    def open_to_bots(self, seat: int, level: str) -> None:
        self._set(seat, open=table_service_pb2.OpenSeat(bot_levels=[level]))

    def _set(self, seat: int, **occupancy: Any) -> None:
        request = table_service_pb2.SetSeatRequest(table_id=self.table_id, seat=seat, **occupancy)
        self._tables.SetSeat(request)

    def start(self) -> table_pb2.Table:
        request = table_service_pb2.StartTableRequest(table_id=self.table_id)
        return self._tables.StartTable(request).table

    def cancel(self) -> None:
        request = table_service_pb2.CancelTableRequest(table_id=self.table_id)
        self._tables.CancelTable(request)

    def token(self, seat: int) -> str:
        """The token of a seat; of a spectator for seat 0."""
        request = table_service_pb2.IssueSeatTokenRequest(table_id=self.table_id, seat=seat)
        return self._tables.IssueSeatToken(request).token
