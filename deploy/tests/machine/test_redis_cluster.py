"""The servers of components/redis-cluster find each other, fail over, and come back elsewhere."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kit import containers, objects, probes, render
from kit.containers import Cluster, Played, Podman

SLOTS = 16_384
# For what takes the servers their own time-outs, on a machine that is busy.
PATIENCE_S = 90


class Servers:
    """All of them, as one."""

    def __init__(self, cluster: Cluster, secrets: Path) -> None:
        self.cluster = cluster
        path = secrets / "redis-users" / "operator-password"
        self.password = path.read_text(encoding="utf-8").strip()
        workload = objects.named(cluster.rendering, "StatefulSet", "redis-cluster")
        self.number = workload["spec"]["replicas"]
        self.played: list[Played] = []

    def ask(self, number: int, *command: str) -> str:
        cli = ["valkey-cli", "-c", "--user", "operator", "--pass", self.password, "--no-auth-warning"]
        return self.played[number].execute(*cli, *command)

    def nodes(self, number: int) -> list[list[str]]:
        """What a server knows of all: id, address, flags, primary, ..., slots."""
        return [line.split() for line in self.ask(number, "cluster", "nodes").splitlines()]

    def is_whole(self, number: int) -> bool:
        """Whether a server knows three primaries that have all slots, and two replicas of each."""
        nodes = [node for node in self.nodes(number) if "fail" not in node[2]]
        primaries = [node for node in nodes if "master" in node[2] and len(node) > 8]
        ranges = [part.split("-") for node in primaries for part in node[8:]]
        covered = sum(int(last) - int(first) + 1 for first, last in ranges)
        followed = [node[3] for node in nodes if "slave" in node[2]]
        each = [followed.count(primary[0]) for primary in primaries]
        return covered == SLOTS and each == [2, 2, 2]

    def primary_of_its_own(self) -> int:
        """The number of a server that is a primary."""
        return next(n for n in range(self.number) if self.ask(n, "role").startswith("master"))


def eventually(what: str, is_so: Callable[[], bool]) -> None:
    ends_at = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < ends_at, f"not within {PATIENCE_S} s: {what}"
        time.sleep(0.5)


@pytest.fixture
def servers(
    podman: Podman, renderings: dict[str, list[objects.Object]], tmp_path: Path
) -> Iterator[Servers]:
    folder = tmp_path / "cluster"
    folder.mkdir()
    secrets = render.make_secrets(tmp_path / "secrets")
    image = containers.redis_image(podman, tmp_path / "redis")
    made = Servers(Cluster(podman, folder, renderings["cluster"], {"valkey": image}, secrets), secrets)
    made.played = [made.cluster.play("redis-cluster", number) for number in range(made.number)]
    yield made
    podman.podman("pod", "rm", "--all", "--force")


def test_servers_form_a_cluster_fail_over_and_come_back(servers: Servers) -> None:
    for played in servers.played:
        probes.until(played, "startupProbe")
    for number in range(servers.number):
        eventually(f"server {number} sees all", lambda: servers.is_whole(number))
    eventually("a primary has its replicas", lambda: servers.ask(0, "set", "a", "1") == "OK")

    # A primary dies: a replica takes its place, and its keys are there.
    lost = servers.primary_of_its_own()
    other = (lost + 1) % servers.number
    name = servers.played[lost].pod_name
    servers.cluster.podman.podman("pod", "rm", "--force", "--time", "0", name)
    primaries = lambda: [n for n in servers.nodes(other) if "master" in n[2] and "fail" not in n[2]]  # noqa: E731
    eventually("there are three primaries again", lambda: len(primaries()) == 3)
    eventually("all keys are there", lambda: servers.ask(other, "get", "a") == "1")

    # It comes back with its disk and another address, and follows the one that took its place.
    servers.played[lost] = servers.cluster.play("redis-cluster", lost)
    for number in range(servers.number):
        eventually(f"server {number} sees all again", lambda: servers.is_whole(number))

    # It comes back without its disk.
    servers.cluster.podman.podman("pod", "rm", "--force", "--time", "0", name)
    shutil.rmtree(servers.cluster.folder / f"redis-cluster-{lost}-data")
    servers.played[lost] = servers.cluster.play("redis-cluster", lost)
    eventually("it follows somebody", lambda: servers.ask(lost, "role").startswith("slave"))
    eventually("all keys are there still", lambda: servers.ask(lost, "get", "a") == "1")


def test_servers_that_all_start_anew_at_other_addresses_are_a_cluster_again(servers: Servers) -> None:
    for number in range(servers.number):
        eventually(f"server {number} sees all", lambda: servers.is_whole(number))
    eventually("a primary has its replicas", lambda: servers.ask(0, "set", "a", "1") == "OK")
    for played in servers.played:
        servers.cluster.podman.podman("pod", "rm", "--force", "--time", "0", played.pod_name)
    servers.played = [servers.cluster.play("redis-cluster", n) for n in range(servers.number)]
    for number in range(servers.number):
        eventually(f"server {number} sees all again", lambda: servers.is_whole(number))
    eventually("all keys are there", lambda: servers.ask(0, "get", "a") == "1")
