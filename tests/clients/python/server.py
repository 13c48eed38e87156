"""The server that the tests were given, from the environment.

Invariant: the tests start nothing and stop nothing; `tests/clients/run` does.
"""

from __future__ import annotations

import faulthandler
import os

import grpc

from client import Table, connect, preset_of_rounds

PRESET = "whitnack"

# A server that never answers must not hold up whoever waits for the tests: after so long they end
# and say where they were.
TESTS_MAX_S = 300
faulthandler.dump_traceback_later(TESTS_MAX_S, exit=True)


def _given(name: str) -> str:
    try:
        return os.environ[name]
    except KeyError:
        raise SystemExit(f"{name} is not set: start the tests with tests/clients/run") from None


ADDRESS = _given("CLIENT_TEST_ADDRESS")
PLATFORM = _given("CLIENT_TEST_PLATFORM")
# The level at which bots play, or empty: there are none.
BOT_LEVEL = os.environ.get("CLIENT_TEST_BOT_LEVEL", "")


def platform() -> grpc.Channel:
    return connect(ADDRESS, PLATFORM)


def as_seat(token: str) -> grpc.Channel:
    return connect(ADDRESS, token)


def new_table(seed: int, rounds: int) -> Table:
    """A table with every seat open."""
    channel = platform()
    return Table.create(channel, preset_of_rounds(channel, PRESET, rounds), seed)


def table_of_persons(seed: int, rounds: int = 1) -> Table:
    """A table of persons, started."""
    table = new_table(seed, rounds)
    for seat in table.seats:
        table.seat_person(seat)
    table.start()
    return table
