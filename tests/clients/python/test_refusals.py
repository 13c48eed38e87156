"""What the service refuses, with the reason that is documented, and that a refusal changes nothing.

Invariant: codes and names of values are read from the contract's ERRORS.md, not repeated here.
"""

from __future__ import annotations

import unittest
import uuid
from typing import Any, Callable

import grpc
from handfoot.v1 import (
    action_pb2,
    card_pb2,
    menu_pb2,
    play_service_pb2,
    play_service_pb2_grpc,
    server_service_pb2,
    server_service_pb2_grpc,
    table_service_pb2,
    table_service_pb2_grpc,
    view_pb2,
)

from client import Table, connect
from play_seat import Player
from reasons import Reason, documented, reason_of
from server import ADDRESS, as_seat, new_table, platform, table_of_persons
from sight import without_time

ERROR_BYTES_MAX = 2048

DRAW = action_pb2.Action(draw=action_pb2.DrawAction())


def fresh_id() -> str:
    return str(uuid.uuid4())


def discard(card: Any) -> action_pb2.Action:
    return action_pb2.Action(discard=card)


class Seat:
    """A seat's token in use."""

    def __init__(self, table: Table, seat: int) -> None:
        self.token = table.token(seat)
        self.channel = as_seat(self.token)
        self.stub = play_service_pb2_grpc.PlayServiceStub(self.channel)

    def view(self) -> view_pb2.View:
        return self.stub.GetView(play_service_pb2.GetViewRequest()).view

    def legal(self) -> menu_pb2.LegalActions:
        return self.stub.ListLegalActions(play_service_pb2.ListLegalActionsRequest()).legal

    def submit(self, *actions: action_pb2.Action, **fields: Any) -> Any:
        fields.setdefault("request_id", fresh_id())
        fields.setdefault("expected_version", self.view().stamp.version)
        request = play_service_pb2.SubmitActionsRequest(actions=actions, **fields)
        return self.stub.SubmitActions(request)


class RefusalTest(unittest.TestCase):
    def setUp(self) -> None:
        self.table = table_of_persons(seed=3)
        self.seats = {seat: Seat(self.table, seat) for seat in self.table.seats}
        self.actor = self.seats[self.seats[1].view().to_act]

    def other(self) -> Seat:
        return next(seat for seat in self.seats.values() if seat is not self.actor)

    def refused(self, reason: str, call: Callable[..., Any], *args: Any, **fields: Any) -> Reason:
        """Calls, and expects the reason as it is documented, with nothing changed."""
        before = [without_time(seat.view()) for seat in self.seats.values()]
        with self.assertRaises(grpc.RpcError) as caught:
            call(*args, **fields)
        found = reason_of(caught.exception)
        self.assertEqual(found.reason, reason, found)
        self.assertEqual(found.trailer, reason)
        self.assertEqual(found.domain, "handfoot.v1")
        self.assertEqual(found.code, documented()[reason].code)
        self.assertGreaterEqual(set(found.values), documented()[reason].values, found)
        self.assertLessEqual(found.n_bytes, ERROR_BYTES_MAX)
        after = [without_time(seat.view()) for seat in self.seats.values()]
        self.assertEqual(before, after)
        return found


class Credentials(RefusalTest):
    def test_a_call_needs_a_credential_and_the_right_one(self) -> None:
        token = self.actor.token
        tampered = token[:-6] + ("A" if token[-6] != "A" else "B") + token[-5:]
        rows = [
            ("CREDENTIAL_MISSING", None),
            ("CREDENTIAL_INVALID", "nonsense"),
            ("CREDENTIAL_INVALID", tampered),
        ]
        request = play_service_pb2.GetViewRequest()
        for reason, credential in rows:
            with self.subTest(reason=reason, credential=credential):
                stub = play_service_pb2_grpc.PlayServiceStub(connect(ADDRESS, credential))
                self.refused(reason, stub.GetView, request)
                # A stream refuses in the same way.
                watch = stub.WatchTable(play_service_pb2.WatchTableRequest())
                self.refused(reason, next, watch)

    def test_a_token_of_a_seat_does_not_run_tables(self) -> None:
        stub = table_service_pb2_grpc.TableServiceStub(self.actor.channel)
        request = table_service_pb2.GetTableRequest(table_id=self.table.table_id)
        self.refused("CREDENTIAL_INVALID", stub.GetTable, request)

    def test_a_spectator_does_not_play(self) -> None:
        spectator = Seat(self.table, 0)
        self.refused("NOT_SEATED", spectator.submit, DRAW)
        self.refused("NOT_SEATED", spectator.legal)

    def test_a_revoked_token_ends(self) -> None:
        old = Seat(self.table, 1)
        request = table_service_pb2.IssueSeatTokenRequest(
            table_id=self.table.table_id,
            seat=1,
            older_tokens=table_service_pb2.OLDER_TOKENS_REVOKE,
        )
        tables = table_service_pb2_grpc.TableServiceStub(platform())
        new = Seat(self.table, 1)
        new.stub = play_service_pb2_grpc.PlayServiceStub(
            as_seat(tables.IssueSeatToken(request).token)
        )
        self.seats[1] = new
        self.refused("CREDENTIAL_EXPIRED", old.view)

    def test_what_is_not_secret_needs_none(self) -> None:
        stub = server_service_pb2_grpc.ServerServiceStub(connect(ADDRESS))
        info = stub.GetServerInfo(server_service_pb2.GetServerInfoRequest())
        self.assertEqual(info.api, "handfoot.v1")
        self.assertEqual(info.limits.batch_actions_max, 32)


class Versions(RefusalTest):
    def test_a_decision_rests_on_the_table_as_it_is(self) -> None:
        version = self.actor.view().stamp.version
        self.actor.submit(DRAW)
        stale = self.refused("STALE_VERSION", self.actor.submit, DRAW, expected_version=version)
        self.assertEqual(stale.values["expected"], str(version))
        self.assertEqual(stale.values["version"], str(version + 1))
        ahead = version + 100
        self.refused("HISTORY_DIVERGED", self.actor.submit, DRAW, expected_version=ahead)

    def test_who_is_told_so_decides_again(self) -> None:
        player = Player(self.actor.channel, "decides again")
        seen = player.legal()
        self.actor.submit(seen.actions[0])
        now = player.act(seen)
        self.assertEqual(player.n_aborted, 1)
        self.assertEqual(now, self.actor.legal())
        self.assertGreater(player.act(now).version, now.version)


class Requests(RefusalTest):
    def test_a_request_plays_once_however_often_it_is_sent(self) -> None:
        fields = {"request_id": fresh_id(), "expected_version": self.actor.view().stamp.version}
        first = self.actor.submit(DRAW, **fields)
        self.assertFalse(first.replayed)
        self.assertEqual(first.commit.stamp.version, fields["expected_version"] + 1)
        self.actor.submit(first.legal.actions[-1])
        for sent in (fields["expected_version"], 1):
            again = self.actor.submit(DRAW, **(fields | {"expected_version": sent}))
            self.assertTrue(again.replayed)
            self.assertEqual(again.commit, first.commit)
            # The answer of then, what may be done now.
            self.assertEqual(again.legal, self.actor.legal())

    def test_an_id_is_not_used_for_something_else(self) -> None:
        request_id = fresh_id()
        first = self.actor.submit(DRAW, request_id=request_id)
        other = first.legal.actions[-1]
        reused = self.refused(
            "REQUEST_ID_REUSED", self.actor.submit, other, request_id=request_id
        )
        self.assertEqual(reused.values["version"], str(first.commit.stamp.version))

    def test_a_table_is_created_once(self) -> None:
        request = table_service_pb2.CreateTableRequest(request_id=fresh_id())
        tables = [Table(platform(), request) for _ in range(2)]
        self.assertEqual(tables[0].table_id, tables[1].table_id)

    def test_what_cannot_be_read_is_named(self) -> None:
        rows: list[tuple[str, list[action_pb2.Action], dict[str, Any]]] = [
            ("request_id", [DRAW], {"request_id": "nonsense"}),
            ("request_id", [DRAW], {"request_id": ""}),
            ("actions", [], {}),
            ("actions", [DRAW] * 33, {}),
            ("actions[0].discard", [discard(0)], {}),
            ("actions[0].discard", [discard(200)], {}),
            ("actions[0]", [action_pb2.Action()], {}),
        ]
        for field, actions, fields in rows:
            with self.subTest(field=field, **fields):
                found = self.refused("FIELD_INVALID", self.actor.submit, *actions, **fields)
                self.assertEqual(found.values["field"], found.fields[0])
                self.assertTrue(found.fields[0].startswith(field), found)


class Actions(RefusalTest):
    def test_the_rules_say_no_and_why(self) -> None:
        own = self.actor.view().own_cards[0]
        found = self.refused("MUST_DRAW_FIRST", self.actor.submit, discard(own))
        self.assertEqual((found.values["actionIndex"], found.values["rule"]), ("0", "HF-2.2"))
        self.refused("NOT_YOUR_TURN", self.other().submit, DRAW)
        self.actor.submit(DRAW)
        self.refused("ALREADY_DREW", self.actor.submit, DRAW)
        held = set(self.actor.view().own_cards)
        missing = next(c for c in range(1, 45) if c not in held)
        self.refused("CARD_NOT_HELD", self.actor.submit, discard(missing))
        red = discard(card_pb2.CARD_THREE_OF_HEARTS)
        self.assertIn(
            self.refused_in_some_way(red).reason, ("RED_THREE_NOT_DISCARDED", "CARD_NOT_HELD")
        )

    def refused_in_some_way(self, action: action_pb2.Action) -> Reason:
        with self.assertRaises(grpc.RpcError) as caught:
            self.actor.submit(action)
        return reason_of(caught.exception)

    def test_a_batch_ends_with_what_reveals_something(self) -> None:
        own = self.actor.view().own_cards[0]
        found = self.refused("BATCH_CROSSES_REVEAL", self.actor.submit, DRAW, discard(own))
        self.assertEqual(found.values["action"], "0")

    def test_judging_changes_nothing(self) -> None:
        before = without_time(self.actor.view())
        answer = self.actor.submit(DRAW, validate_only=True)
        self.assertFalse(answer.HasField("commit"))
        self.assertEqual(before, without_time(self.actor.view()))
        card = discard(before.own_cards[0])
        self.refused("MUST_DRAW_FIRST", self.actor.submit, card, validate_only=True)

    def test_a_lay_is_taken_back(self) -> None:
        """Plays by chance until somebody has laid what can be taken back."""
        players = {n: Player(seat.channel, f"undo/{n}") for n, seat in self.seats.items()}
        while True:
            seat = self.seats[1].view().to_act
            before = self.seats[seat].view()
            now = players[seat].act(players[seat].legal())
            if now.menu.undoable == 1:
                break
        self.actor = self.seats[seat]
        request = play_service_pb2.RequestUndoRequest(
            request_id=fresh_id(), expected_version=now.version, acts=1
        )
        undone = self.actor.stub.RequestUndo(request)
        self.assertEqual(undone.commit.cause, play_service_pb2.COMMIT_CAUSE_UNDO)
        after = self.actor.view()
        self.assertEqual(after.stamp.version, before.stamp.version + 2)
        self.assertEqual(after.own_cards, before.own_cards)
        self.assertEqual(after.teams, before.teams)
        self.assertTrue(self.actor.stub.RequestUndo(request).replayed)
        more = play_service_pb2.RequestUndoRequest(
            request_id=fresh_id(), expected_version=after.stamp.version, acts=1
        )
        self.refused("NOTHING_TO_UNDO", self.actor.stub.RequestUndo, more)


class Tables(unittest.TestCase):
    def refused(self, reason: str, call: Callable[[], Any]) -> Reason:
        with self.assertRaises(grpc.RpcError) as caught:
            call()
        found = reason_of(caught.exception)
        self.assertEqual((found.reason, found.trailer), (reason, reason))
        self.assertEqual(found.code, documented()[reason].code)
        self.assertGreaterEqual(set(found.values), documented()[reason].values, found)
        return found

    def test_a_table_starts_when_it_is_full_and_closes_when_it_is_cancelled(self) -> None:
        table = new_table(seed=4, rounds=1)
        self.refused("SEATS_OPEN", table.start)
        self.refused("SEAT_NOT_PERSON", lambda: table.token(2))
        self.refused("SEAT_NOT_FOUND", lambda: table.seat_person(11))
        for seat in table.seats:
            table.seat_person(seat)
        waiting = Seat(table, 1)
        self.refused("TABLE_NOT_STARTED", waiting.view)
        self.assertEqual(table.start(), table.start())
        self.refused("TABLE_ALREADY_STARTED", lambda: table.seat_bot(2, "random"))
        table.cancel()
        self.refused("TABLE_CLOSED", lambda: waiting.submit(DRAW))
        missing = table_service_pb2.GetTableRequest(table_id="nowhere")
        tables = table_service_pb2_grpc.TableServiceStub(platform())
        self.refused("TABLE_NOT_FOUND", lambda: tables.GetTable(missing))


if __name__ == "__main__":
    unittest.main()
