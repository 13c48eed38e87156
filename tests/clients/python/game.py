"""One game that is played to its end, with mishaps in the middle, and all that was sent.

Invariant: mishaps come at fixed places: streams are cut and answers lost, and nothing is waited for
but what the server sends.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable

import grpc
from handfoot.v1 import play_service_pb2, play_service_pb2_grpc, view_pb2

from client import Table
from play_seat import Player
from server import as_seat
from watch import Watch

SPECTATOR = 0
CUT_SEAT = 1
# Before which of its decisions the seat's stream is cut, and its connection closed.
CUT_AT, CLOSE_AT = 5, 12
# Before every so-many-th of them all viewers look at the table.
LOOK_EVERY = 10
# Every so-many-th answer to one player is lost.
LOSE_EVERY = 10


class Viewer:
    """A seat or a spectator, with its token."""

    def __init__(self, table: Table, seat: int) -> None:
        self.seat = seat
        token = table.token(seat)
        self.connection: Callable[[], grpc.Channel] = lambda: as_seat(token)
        self.stub = play_service_pb2_grpc.PlayServiceStub(self.connection())
        self.watch = Watch(self.connection)

    def view(self) -> view_pb2.View:
        return self.stub.GetView(play_service_pb2.GetViewRequest()).view

    def logged(self, after: int) -> list[play_service_pb2.Commit]:
        """The commits after a version, page by page."""
        commits: list[play_service_pb2.Commit] = []
        token = ""
        while True:
            page = self.stub.ListCommits(
                play_service_pb2.ListCommitsRequest(
                    after_version=after, page_size=7, page_token=token
                )
            )
            commits.extend(page.commits)
            token = page.next_page_token
            if not token:
                return commits


class Middle:
    """What happens in the middle of a game, each time before the seat decides."""

    def __init__(self, viewers: dict[int, Viewer], watch: Watch) -> None:
        self._viewers = viewers
        self._watch = watch
        self._n_decisions = 0
        # What all viewers saw of one version: nothing moves while it is the seat's turn.
        self.views: list[dict[int, view_pb2.View]] = []

    def __call__(self) -> None:
        self._n_decisions += 1
        # The own commit that follows is surely missed by the stream.
        if self._n_decisions == CUT_AT:
            self._watch.cut()
        elif self._n_decisions == CLOSE_AT:
            self._watch.close()
        if self._n_decisions % LOOK_EVERY == 0:
            self.views.append({seat: viewer.view() for seat, viewer in self._viewers.items()})


class LoseAnswers(grpc.UnaryUnaryClientInterceptor):
    """Loses every so-many-th answer on the way: the server has played, the caller knows nothing."""

    def __init__(self, every: int) -> None:
        self._every = every
        self._n_submits = 0
        self.n_lost = 0

    def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
        call = continuation(details, request)
        if not details.method.endswith("/SubmitActions"):
            return call
        self._n_submits += 1
        if self._n_submits % self._every:
            return call
        call.result()
        self.n_lost += 1
        raise AnswerLost


class AnswerLost(grpc.RpcError):
    """What a caller sees when the connection breaks before the answer."""

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.UNAVAILABLE


class Game:
    """One game played to its end: the players, and all that viewers were sent."""

    def __init__(self, table: Table, played: list[int], seed: int) -> None:
        self.table = table
        self.viewers = {seat: Viewer(table, seat) for seat in [SPECTATOR, *played]}
        self.middle = Middle(self.viewers, self.viewers[CUT_SEAT].watch)
        self.loser = LoseAnswers(LOSE_EVERY)
        self.players: dict[int, Player] = {}
        for seat in played:
            channel = self.viewers[seat].connection()
            if seat == played[-1]:
                channel = grpc.intercept_channel(channel, self.loser)
            self.players[seat] = Player(channel, f"{seed}/{seat}")
        # Every watcher has its first snapshot before anybody here plays.
        for viewer in self.viewers.values():
            assert viewer.watch.advance()

    def play(self) -> None:
        with ThreadPoolExecutor(len(self.viewers)) as threads:
            running = [threads.submit(self.viewers[SPECTATOR].watch.to_the_end)]
            for seat, player in self.players.items():
                watch = self.viewers[seat].watch
                before = self.middle if seat == CUT_SEAT else lambda: None
                running.append(threads.submit(player.play, watch, before))
            for one in running:
                one.result()


def played(table: Table, seats: list[int], seed: int) -> Game:
    """Plays a game and says how it went."""
    began = time.monotonic()
    game = Game(table, seats, seed)
    game.play()
    took_s = time.monotonic() - began
    end = table.get()
    print(
        f"{end.version} commits, {end.rounds_scored} rounds, totals {list(end.totals)}, "
        f"{sum(len(player.commits) for player in game.players.values())} decisions here, "
        f"{game.loser.n_lost} answers lost, {took_s:.1f} s",
        flush=True,
    )
    return game
