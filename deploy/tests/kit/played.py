"""Games that are played through pods.

Invariant: it imports the client of tests/clients when it is called, after the fixture `client` has
made it importable.
"""

from __future__ import annotations

from kit.stack import Stack

SPECTATOR = 0


def new_table(stack: Stack, persons: bool):
    """A table of one round, started, of persons or of bots."""
    from client import Table, connect, preset_of_rounds

    channel = connect(stack.api, stack.platform)
    table = Table.create(channel, preset_of_rounds(channel, "whitnack", 1), seed=5)
    for seat in table.seats:
        table.seat_person(seat) if persons else table.seat_bot(seat, "casual")
    table.start()
    return table


def a_table_of_bots_to_its_end(stack: Stack) -> None:
    """Watched by a spectator, so that deliveries are told of too."""
    from client import connect
    from watch import Watch

    table = new_table(stack, persons=False)
    Watch(lambda: connect(stack.api, table.token(SPECTATOR))).to_the_end()
