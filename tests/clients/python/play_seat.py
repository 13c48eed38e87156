"""Plays one seat by choosing among the actions that the service lists.

Invariant: it knows no rule. One decision has one request_id, however often it must be sent; after
ABORTED there is a new decision.
"""

from __future__ import annotations

import random
import threading
import uuid
from typing import Any, Callable

import grpc
from handfoot.v1 import action_pb2, menu_pb2, play_service_pb2, play_service_pb2_grpc

from watch import Watch

# Nothing is known of what became of the request.
SEND_AGAIN = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)

SENT_MAX = 20
PAUSE_MAX_S = 0.25


class Player:
    """One seat, played by chance: the same seed decides the same in the same places."""

    def __init__(self, channel: grpc.Channel, seed: str) -> None:
        self._play = play_service_pb2_grpc.PlayServiceStub(channel)
        self._chance = random.Random(seed)
        self.commits: list[play_service_pb2.Commit] = []
        self.n_replayed = 0
        self.n_aborted = 0

    def legal(self) -> menu_pb2.LegalActions:
        request = play_service_pb2.ListLegalActionsRequest()
        return self._send(self._play.ListLegalActions, request).legal

    def choose(self, legal: menu_pb2.LegalActions) -> action_pb2.Action:
        """First what to do, then how: otherwise the many ways to discard leave no other chance."""
        sorts: dict[str, list[action_pb2.Action]] = {}
        for action in legal.actions:
            sorts.setdefault(action.WhichOneof("action"), []).append(action)
        return self._chance.choice(sorts[self._chance.choice(sorted(sorts))])

    def act(self, legal: menu_pb2.LegalActions) -> menu_pb2.LegalActions:
        """Makes one decision. Gives what may be done after it."""
        request = play_service_pb2.SubmitActionsRequest(
            request_id=str(uuid.UUID(int=self._chance.getrandbits(128), version=4)),
            expected_version=legal.version,
            actions=[self.choose(legal)],
        )
        try:
            response = self.submit(request)
        except grpc.RpcError as error:
            if error.code() != grpc.StatusCode.ABORTED:
                raise
            self.n_aborted += 1
            return self.legal()
        self.commits.append(response.commit)
        self.n_replayed += response.replayed
        return response.legal

    def submit(
        self, request: play_service_pb2.SubmitActionsRequest
    ) -> play_service_pb2.SubmitActionsResponse:
        return self._send(self._play.SubmitActions, request)

    def _send(self, call: Callable[[Any], Any], request: Any) -> Any:
        """Sends the same request until it is known what became of it."""
        for _ in range(SENT_MAX - 1):
            try:
                return call(request)
            except grpc.RpcError as error:
                if error.code() not in SEND_AGAIN:
                    raise
            threading.Event().wait(random.uniform(0, PAUSE_MAX_S))
        return call(request)

    def play(self, watch: Watch, before_acting: Callable[[], None] = lambda: None) -> None:
        """Plays until the table is closed."""
        legal = self.legal()
        while True:
            while legal.actions:
                before_acting()
                legal = self.act(legal)
            while watch.version <= legal.version:
                if not watch.advance():
                    return
            legal = self.legal()
