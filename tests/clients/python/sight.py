"""What one viewer was sent, without what was for its eyes alone.

Invariant: taking away the own cards of a seat leaves exactly what a spectator is sent. What is left
over otherwise was never to be seen.
"""

from __future__ import annotations

from typing import Any, Iterable

from handfoot.v1 import card_pb2, play_service_pb2, table_pb2, view_pb2

OWN_FIELDS = ("seat", "team", "partners", "left", "right", "own_cards", "server_time")


class Leak(AssertionError):
    """A card was shown to a seat that must not see it, or not shown to the one that must."""


def public_commit(commit: play_service_pb2.Commit, viewer: int) -> play_service_pb2.Commit:
    """The commit with the viewer's own cards turned over."""
    public = play_service_pb2.Commit()
    public.CopyFrom(commit)
    for event in public.events:
        body: Any = getattr(event, event.WhichOneof("event"))
        cards = getattr(body, "cards", None)
        if isinstance(cards, card_pb2.ConcealedCards):
            if cards.HasField("faces") != (body.seat == viewer):
                raise Leak(f"seat {viewer} was sent, at version {commit.stamp.version}:\n{event}")
            if body.seat == viewer:
                cards.backs = len(cards.faces.cards)
    _forget_ids(public.players)
    return public


def public_view(view: view_pb2.View) -> view_pb2.View:
    """The view as if nobody in particular looked."""
    public = view_pb2.View()
    public.CopyFrom(view)
    for name in OWN_FIELDS:
        public.ClearField(name)
    _forget_ids(public.players)
    return public


def without_time(view: view_pb2.View) -> view_pb2.View:
    same = view_pb2.View()
    same.CopyFrom(view)
    same.ClearField("server_time")
    return same


def _forget_ids(players: Iterable[table_pb2.SeatPlayer]) -> None:
    """A seat knows by which id the platform knows it; others do not."""
    for player in players:
        if player.owner.HasField("person"):
            player.owner.person.ClearField("player_id")
