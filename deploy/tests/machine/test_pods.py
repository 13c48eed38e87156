"""The rendered base is really run, and behaves as the manifests promise."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

import grpc

from kit import objects, probes
from kit.places import ROOT
from kit.stack import Stack

# A process lets go within this after its drain; checks.py counts on as much.
LETTING_GO_S = 5


def new_table(stack: Stack, persons: bool):
    """A table of one round, started, of persons or of bots."""
    from client import Table, connect, preset_of_rounds

    channel = connect(stack.api, stack.platform)
    table = Table.create(channel, preset_of_rounds(channel, "whitnack", 1), seed=5)
    for seat in table.seats:
        table.seat_person(seat) if persons else table.seat_bot(seat, "casual")
    table.start()
    return table


def test_games_are_played_through_the_pods(stack: Stack, client: Path) -> None:
    """Whole games, with streams cut and answers lost, of persons and of the bots in their pod."""
    environment = os.environ | {
        "CLIENT_TEST_ADDRESS": stack.api,
        "CLIENT_TEST_PLATFORM": stack.platform,
        "CLIENT_TEST_BOT_LEVEL": "casual",
        "PYTHONPATH": f"{client}:{ROOT / 'tests' / 'clients' / 'python'}",
    }
    done = subprocess.run(
        [sys.executable, "-m", "unittest", "test_game"], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "\nOK" in done.stderr and "skipped" not in done.stderr, done.stderr


def test_pods_have_no_rights(stack: Stack) -> None:
    """What the kernel says of the processes, not what was asked for."""
    for played in (stack.redis, stack.game, stack.bots):
        found = played.podman.inspect(played.container_name)
        status = Path(f"/proc/{found['State']['Pid']}/status").read_text(encoding="utf-8")
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        assert fields["Uid"].split() == ["65532"] * 4, played.name
        assert fields["Gid"].split() == ["65532"] * 4, played.name
        assert int(fields["CapEff"], 16) == 0 and int(fields["CapBnd"], 16) == 0, played.name
        assert fields["NoNewPrivs"] == "1", played.name
        assert found["HostConfig"]["ReadonlyRootfs"] is True, played.name
        limit = played.container["resources"]["limits"]["memory"]
        assert found["HostConfig"]["Memory"] == objects.quantity(limit), played.name


def test_a_store_that_is_away_restarts_nothing_and_is_used_again(stack: Stack, client: Path) -> None:
    table = new_table(stack, persons=True)
    version = table.get().version
    game = stack.game.container_name
    started_at = stack.game.podman.inspect(game)["State"]["StartedAt"]

    stack.redis.podman.podman("kill", "--signal", "KILL", stack.redis.container_name)
    assert probes.ask(stack.game, "livenessProbe"), "the process lives without its store"
    try:
        table.get()
        raise AssertionError("a table was read from no store")
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.UNAVAILABLE, error
    probes.until(stack.game, "readinessProbe", wanted=False)
    assert probes.ask(stack.game, "livenessProbe")

    stack.redis.podman.podman("start", stack.redis.container_name)
    probes.until(stack.redis, "readinessProbe")
    probes.until(stack.game, "readinessProbe")
    assert table.get().version == version, "what was acknowledged was written at once"
    assert stack.game.podman.inspect(game)["State"]["StartedAt"] == started_at


def test_a_pod_ends_within_its_grace_and_tells_its_watchers(stack: Stack, client: Path) -> None:
    """Hook, SIGTERM, streams that say why they end, calls that are answered, exit code 0."""
    from client import connect
    from handfoot.v1 import play_service_pb2, play_service_pb2_grpc

    table = new_table(stack, persons=True)
    items: queue.SimpleQueue[tuple[float, object]] = queue.SimpleQueue()
    play = play_service_pb2_grpc.PlayServiceStub(connect(stack.api, table.token(1)))

    def watch() -> None:
        for item in play.WatchTable(play_service_pb2.WatchTableRequest()):
            items.put((time.monotonic(), item))
        items.put((time.monotonic(), None))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    _, first = items.get(timeout=10)
    assert first.WhichOneof("item") == "snapshot"

    begun_at = time.monotonic()
    endings: list[probes.Ending] = []
    ender = threading.Thread(target=lambda: endings.append(probes.end(stack.game)))
    ender.start()
    # The kubelet has taken the pod from the endpoints; whoever still comes is served.
    assert probes.ask(stack.game, "readinessProbe") and table.get().version > 0

    told_at, last = items.get(timeout=60)
    assert last.rotate.cause == play_service_pb2.ROTATE_CAUSE_DRAINING
    assert last.rotate.reopen_after_ms > 0
    closed_at, end = items.get(timeout=60)
    assert end is None, "the stream ends by itself"
    ender.join()
    [ending] = endings
    assert ending.exit_code == 0, stack.game.logs()
    assert told_at - begun_at >= ending.terminated_at, "not before SIGTERM"
    assert closed_at - begun_at <= ending.ended_at
    settings = objects.environment(stack.cluster.rendering, stack.game.container)
    drain = objects.seconds(settings["HANDFOOT_DRAIN"])
    assert ending.ended_at - ending.terminated_at < drain + LETTING_GO_S < ending.grace


def test_bots_end_within_their_grace_and_their_seats_are_played_on(stack: Stack, client: Path) -> None:
    """In the middle of a game; what they had begun is given back, or its lease runs out."""
    table = new_table(stack, persons=False)
    ending = probes.end(stack.bots)
    assert ending.exit_code in (0, 75), stack.bots.logs()
    settings = objects.environment(stack.cluster.rendering, stack.bots.container)
    drain = objects.seconds(settings["HANDFOOT_BOT_DRAIN"])
    assert ending.ended_at < drain + LETTING_GO_S < ending.grace

    stack.bots.podman.podman("start", stack.bots.container_name)
    from handfoot.v1 import table_pb2

    ends_at = time.monotonic() + 120
    while table.get().state != table_pb2.TABLE_STATE_FINISHED:
        assert time.monotonic() < ends_at, stack.bots.logs()
        time.sleep(0.2)


def test_a_backup_is_restored(stack: Stack, client: Path, tmp_path: Path) -> None:
    """As the guide says: copied while games go on, put back into another disk."""
    from client import connect
    from handfoot.v1 import play_service_pb2, play_service_pb2_grpc
    from play_seat import Player

    table = new_table(stack, persons=True)
    seat = next(seat for seat in table.seats if may_act(stack, table.token(seat)))
    player = Player(connect(stack.api, table.token(seat)), seed="backup")
    player.act(player.legal())
    kept = table.get().version

    password = (stack.secrets / "redis-users" / "operator-password").read_text(encoding="utf-8").strip()
    cli = ["valkey-cli", "--user", "operator", "--pass", password, "--no-auth-warning"]
    stack.redis.execute(*cli, "BGREWRITEAOF")
    ends_at = time.monotonic() + 60
    while "aof_rewrite_in_progress:0" not in stack.redis.execute(*cli, "INFO", "persistence"):
        assert time.monotonic() < ends_at
        time.sleep(0.1)
    backup = tmp_path / "tables.tar"
    copy = ["podman", "exec", stack.redis.container_name, "tar", "-C", "/data", "-cf", "-", "appendonlydir"]
    with backup.open("wb") as file:
        subprocess.run(copy, env=stack.redis.podman.environment, stdout=file, check=True)
    player.act(player.legal())
    assert table.get().version > kept

    data = stack.cluster.folder / "redis-data"
    stack.redis.podman.podman("kill", "--signal", "TERM", stack.redis.container_name)
    stack.redis.podman.podman("wait", stack.redis.container_name)
    subprocess.run(["rm", "-r", data / "appendonlydir"], check=True)
    subprocess.run(["tar", "-C", data, "-xf", backup], check=True)
    stack.redis.podman.podman("start", stack.redis.container_name)
    probes.until(stack.redis, "readinessProbe")
    probes.until(stack.game, "readinessProbe")

    play = play_service_pb2_grpc.PlayServiceStub(connect(stack.api, table.token(seat)))
    view = play.GetView(play_service_pb2.GetViewRequest()).view
    assert view.stamp.version == kept, "what the backup holds, and nothing after it"
    player.act(player.legal())
    assert table.get().version > kept, "the game goes on"


def may_act(stack: Stack, token: str) -> bool:
    from client import connect
    from handfoot.v1 import play_service_pb2, play_service_pb2_grpc

    play = play_service_pb2_grpc.PlayServiceStub(connect(stack.api, token))
    return bool(play.ListLegalActions(play_service_pb2.ListLegalActionsRequest()).legal.actions)
