"""The rule of watching, against a script of what a server seldom does.

Invariant: no server is needed, and nothing else than the script decides what is sent.
"""

from __future__ import annotations

import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Iterator

import grpc
from handfoot.v1 import (
    card_pb2,
    event_pb2,
    play_service_pb2,
    play_service_pb2_grpc,
    view_pb2,
)

from client import connect
from sight import Leak, public_commit
from watch import Watch

Item = play_service_pb2.WatchTableResponse


def stamp(version: int, history: int = 0) -> view_pb2.Stamp:
    return view_pb2.Stamp(version=version, chain=bytes([history] * 15 + [version]))


def commit(version: int) -> Item:
    return Item(commit=play_service_pb2.Commit(stamp=stamp(version)))


def snapshot(version: int, history: int = 0) -> Item:
    view = view_pb2.View(stamp=stamp(version, history))
    return Item(snapshot=play_service_pb2.Snapshot(view=view))


def rotate(cause: Any) -> Item:
    return Item(rotate=play_service_pb2.Rotate(cause=cause))


CLOSED = rotate(play_service_pb2.ROTATE_CAUSE_TABLE_CLOSED)


class Scripted(play_service_pb2_grpc.PlayServiceServicer):
    """Sends one list of items for each stream; a status code instead of an item ends the stream."""

    def __init__(self, script: list[list[Item | grpc.StatusCode]]) -> None:
        self._script = iter(script)
        self.opened: list[play_service_pb2.WatchTableRequest] = []

    def WatchTable(self, request: Any, context: Any) -> Iterator[Item]:
        self.opened.append(request)
        for item in next(self._script):
            if isinstance(item, grpc.StatusCode):
                context.abort(item, "as the script says")
            yield item


class WatchTest(unittest.TestCase):
    def follow(self, *script: list[Item | grpc.StatusCode]) -> tuple[Watch, list[int]]:
        """Follows the script to its end. Gives also after which version each stream began."""
        service = Scripted(list(script))
        server = grpc.server(ThreadPoolExecutor(4))
        play_service_pb2_grpc.add_PlayServiceServicer_to_server(service, server)
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        self.addCleanup(server.stop, None)
        watch = Watch(lambda: connect(f"127.0.0.1:{port}"))
        self.addCleanup(watch.close)
        watch.to_the_end()
        self.assertEqual(service.opened[0], play_service_pb2.WatchTableRequest())
        for request in service.opened[1:]:
            self.assertEqual(request.after_chain[-1], request.after_version)
        return watch, [request.after_version for request in service.opened]

    def test_a_gap_is_closed_and_a_repetition_ignored(self) -> None:
        watch, opened = self.follow(
            [snapshot(1), commit(2), commit(2), commit(1), commit(4)],
            [commit(3), commit(4), CLOSED],
        )
        self.assertEqual([c.stamp.version for c in watch.commits], [2, 3, 4])
        self.assertEqual((watch.n_gaps, watch.n_ignored), (1, 2))
        self.assertEqual(opened, [0, 2])

    def test_whatever_ends_a_stream_it_goes_on_where_it_was(self) -> None:
        watch, opened = self.follow(
            [snapshot(7), commit(8), rotate(play_service_pb2.ROTATE_CAUSE_AGE)],
            [commit(9)],
            [commit(10), grpc.StatusCode.UNAVAILABLE],
            [commit(11), CLOSED],
        )
        self.assertEqual([c.stamp.version for c in watch.commits], [8, 9, 10, 11])
        self.assertEqual(opened, [0, 8, 9, 10])

    def test_a_snapshot_replaces_what_was_there_also_with_an_older_one(self) -> None:
        watch, opened = self.follow(
            [snapshot(5), commit(6), snapshot(3, history=1), commit(4)],
            [CLOSED],
        )
        self.assertEqual([c.stamp.version for c in watch.commits], [6, 4])
        self.assertEqual((watch.version, opened), (4, [0, 4]))

    def test_what_is_not_known_is_ignored(self) -> None:
        # Field 99, which this contract does not have.
        later = Item.FromString(b"\x9a\x06\x00")
        watch, opened = self.follow([snapshot(1), later, commit(2), CLOSED])
        self.assertEqual((watch.version, opened), (2, [0]))

    def test_a_refusal_ends_it(self) -> None:
        with self.assertRaises(grpc.RpcError):
            self.follow([grpc.StatusCode.UNAUTHENTICATED])


class SightTest(unittest.TestCase):
    def test_a_planted_leak_is_noticed(self) -> None:
        faces = card_pb2.ConcealedCards(faces=card_pb2.CardList(cards=[card_pb2.CARD_JOKER]))
        event = event_pb2.Event(drew=event_pb2.CardsDrawn(seat=2, cards=faces))
        sent = play_service_pb2.Commit(events=[event])
        self.assertEqual(public_commit(sent, viewer=2).events[0].drew.cards.backs, 1)
        for viewer in (0, 1, 3):
            with self.assertRaises(Leak):
                public_commit(sent, viewer)


if __name__ == "__main__":
    unittest.main()
