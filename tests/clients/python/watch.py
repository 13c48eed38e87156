"""Follows a table by the rule that holds for every client.

Invariant: a commit is applied only if its version is the own one + 1. After any break the stream
goes on from the own version, whatever was under way.
"""

from __future__ import annotations

import random
import threading
from queue import Empty, SimpleQueue
from typing import Any, Callable

import grpc
from handfoot.v1 import play_service_pb2, play_service_pb2_grpc, view_pb2

# A stream without a sign of life for so long is opened again.
SILENCE_MAX_S = 40.0

# The pause before a broken stream is opened again is drawn up to this.
PAUSE_MAX_S = 0.25

BROKEN = (
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.UNKNOWN,
)


class Watch:
    """One viewer's place in the history of a table. It applies no events: it keeps them."""

    def __init__(self, connection: Callable[[], grpc.Channel]) -> None:
        self._connection = connection
        self._channel: grpc.Channel | None = None
        self._call: Any = None
        self._items: SimpleQueue[Any] = SimpleQueue()
        self._is_closed = False
        # Not set before the first snapshot.
        self.stamp: view_pb2.Stamp | None = None
        self.commits: list[play_service_pb2.Commit] = []
        self.snapshots: list[play_service_pb2.Snapshot] = []
        self.n_opened = 0
        self.n_ignored = 0
        self.n_gaps = 0

    @property
    def version(self) -> int:
        return self.stamp.version if self.stamp else 0

    def advance(self) -> bool:
        """Waits for the next step. False: the table is closed, and there is none."""
        before = self.stamp
        while self.stamp == before and not self._is_closed:
            self._take(self._next())
        return self.stamp != before

    def to_the_end(self) -> None:
        """Follows until the table is closed."""
        while self.advance():
            pass

    def cut(self) -> None:
        """Cancels the stream, as when a player's program is suspended."""
        if self._call is not None:
            self._call.cancel()
        self._call = None

    def close(self) -> None:
        """Ends the stream and its connection, as when a player's network goes."""
        self.cut()
        if self._channel is not None:
            self._channel.close()
        self._channel = None

    def _open(self) -> None:
        if self._channel is None:
            self._channel = self._connection()
        request = play_service_pb2.WatchTableRequest()
        if self.stamp is not None:
            request.after_version = self.stamp.version
            request.after_chain = self.stamp.chain
        self._call = play_service_pb2_grpc.PlayServiceStub(self._channel).WatchTable(request)
        self._items = SimpleQueue()
        self.n_opened += 1
        threading.Thread(target=_pump, args=(self._call, self._items), daemon=True).start()

    def _next(self) -> Any:
        if self._call is None:
            self._open()
        try:
            return self._items.get(timeout=SILENCE_MAX_S)
        except Empty:
            return None

    def _take(self, item: Any) -> None:
        if isinstance(item, grpc.RpcError) and item.code() not in BROKEN:
            raise item
        if not isinstance(item, play_service_pb2.WatchTableResponse):
            self._reopen(random.uniform(0, PAUSE_MAX_S))
        elif item.HasField("commit"):
            self._take_commit(item.commit)
        elif item.HasField("snapshot"):
            self.stamp = item.snapshot.view.stamp
            self.snapshots.append(item.snapshot)
        elif item.HasField("rotate"):
            if item.rotate.cause == play_service_pb2.ROTATE_CAUSE_TABLE_CLOSED:
                self._is_closed = True
                self.close()
            else:
                self._reopen(item.rotate.reopen_after_ms / 1000)
        # Presence and heartbeats change nothing here; what is not known is of a later contract.

    def _take_commit(self, commit: play_service_pb2.Commit) -> None:
        if commit.stamp.version <= self.version:
            self.n_ignored += 1
        elif commit.stamp.version > self.version + 1:
            self.n_gaps += 1
            self._reopen(0)
        else:
            self.stamp = commit.stamp
            self.commits.append(commit)

    def _reopen(self, pause_s: float) -> None:
        self.cut()
        threading.Event().wait(pause_s)


def _pump(call: Any, items: SimpleQueue[Any]) -> None:
    """Hands on what comes, so that a reader can wait for a limited time. At the end: None."""
    try:
        for item in call:
            items.put(item)
        items.put(None)
    except grpc.RpcError as error:
        items.put(error)
