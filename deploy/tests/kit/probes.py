"""What a kubelet does with a pod: asks its probes, and ends it.

Podman does neither: it ignores probes of gRPC, hooks and grace periods. So the declared ones are
executed here, as the kubelet would.

Invariant: every number comes from the manifest.
"""

from __future__ import annotations

import socket
import time
import urllib.error
import urllib.request
from dataclasses import dataclass

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from kit.containers import Played
from kit.objects import Object, pod

SERVING = health_pb2.HealthCheckResponse.SERVING


def ask(played: Played, name: str) -> bool:
    """Executes a declared probe once: whether it succeeds."""
    probe: Object = played.container[name]
    timeout = probe.get("timeoutSeconds", 1)
    if "grpc" in probe:
        return _ask_grpc(played.address(probe["grpc"]["port"]), probe["grpc"].get("service", ""), timeout)
    if "httpGet" in probe:
        address = played.address(probe["httpGet"]["port"])
        return _ask_http(f"http://{address}{probe['httpGet'].get('path', '/')}", timeout)
    if "tcpSocket" in probe:
        return _ask_tcp(played.address(probe["tcpSocket"]["port"]), timeout)
    command = probe["exec"]["command"]
    done = played.podman.run("podman", "exec", played.container_name, *command, check=False)
    return done.returncode == 0


def _ask_grpc(address: str, service: str, timeout: float) -> bool:
    with grpc.insecure_channel(address) as channel:
        request = health_pb2.HealthCheckRequest(service=service)
        try:
            answer = health_pb2_grpc.HealthStub(channel).Check(request, timeout=timeout)
        except grpc.RpcError:
            return False
    return answer.status == SERVING


def _ask_http(url: str, timeout: float) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=timeout) as answer:
            return 200 <= answer.status < 400
    except (urllib.error.URLError, OSError):
        return False


def _ask_tcp(address: str, timeout: float) -> bool:
    host, _, port = address.partition(":")
    try:
        socket.create_connection((host, int(port)), timeout).close()
    except OSError:
        return False
    return True


def until(played: Played, name: str, wanted: bool = True) -> int:
    """Asks a probe as often as it says until the answer is as wanted: how many times."""
    probe = played.container[name]
    # The kubelet starts a probe once a period; here it is asked more often, and as long.
    ends_at = time.monotonic() + probe.get("periodSeconds", 10) * probe.get("failureThreshold", 3)
    n_asked = 0
    while True:
        n_asked += 1
        if ask(played, name) == wanted:
            return n_asked
        if time.monotonic() > ends_at:
            logs = played.logs()
            raise AssertionError(f"{played.name}: {name} is not {wanted} in its time:\n{logs}")
        time.sleep(0.1)


@dataclass
class Ending:
    """How a container ended, in seconds from the moment that the kubelet was told to end the pod."""

    terminated_at: float
    ended_at: float
    exit_code: int
    grace: float


def end(played: Played) -> Ending:
    """Ends a pod as the kubelet does: the hook, SIGTERM, and SIGKILL when the grace is over."""
    grace = pod(played.workload)["spec"]["terminationGracePeriodSeconds"]
    hook = played.container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
    name, begun_at = played.container_name, time.monotonic()
    time.sleep(hook)
    terminated_at = time.monotonic() - begun_at
    played.podman.podman("kill", "--signal", "TERM", name)
    left = grace - terminated_at
    waited = played.podman.run("timeout", str(left), "podman", "wait", name, check=False)
    ended_at = time.monotonic() - begun_at
    if waited.returncode != 0:
        played.podman.podman("kill", "--signal", "KILL", name, check=False)
        raise AssertionError(f"{played.name} did not end within its grace of {grace} s:\n{played.logs()}")
    return Ending(terminated_at, ended_at, int(waited.stdout.strip()), grace)
