"""What no tool checks: that the objects of one rendering fit together.

Each check takes all objects and tells what is wrong, and `test_defects.py` shows of each that it
can fail.

Invariant: a check reads objects and nothing else. What depends on the programs is in
`test_configuration.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from kit import objects as o
from kit.objects import Object

Check = Callable[[list[Object]], Iterator[str]]

# A process lets go of its threads and its exporters within this, after its own drain.
LETTING_GO_S = 5

DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
# Which variable says how long the drain takes, by container.
DRAINS = {"game-service": "HANDFOOT_DRAIN", "bot-service": "HANDFOOT_BOT_DRAIN"}
PROBES = ("startupProbe", "livenessProbe", "readinessProbe")
HANDLERS = ("grpc", "httpGet", "tcpSocket", "exec")
# What is not the release that somebody chose.
MOVING_TAGS = ("latest", "main", "master", "edge", "nightly")


def names_are_labels(objects: list[Object]) -> Iterator[str]:
    """Names become host names: the API server would refuse another."""
    for found in objects:
        name = found["metadata"]["name"]
        if not DNS_LABEL.fullmatch(name):
            yield f"{o.label(found)}: the name is no DNS label"
    for found in o.workloads(objects):
        names = [one["name"] for one in o.containers(found)]
        names += [port for port in o.ports_of(found)]
        for name in names:
            if not DNS_LABEL.fullmatch(name):
                yield f"{o.label(found)}: {name} is no DNS label"
        for port in o.ports_of(found):
            if len(port) > 15:
                yield f"{o.label(found)}: the port name {port} has more than 15 characters"


def names_are_unique(objects: list[Object]) -> Iterator[str]:
    seen: set[str] = set()
    for found in objects:
        if o.label(found) in seen:
            yield f"{o.label(found)}: there are two"
        seen.add(o.label(found))


def everything_is_in_one_namespace(objects: list[Object]) -> Iterator[str]:
    for found in objects:
        is_wide = found["kind"] in ("Namespace", "CustomResourceDefinition")
        if not is_wide and found["metadata"].get("namespace") != "handfoot":
            yield f"{o.label(found)}: is not in the namespace handfoot"


def selectors_select(objects: list[Object]) -> Iterator[str]:
    """Every selector means something that is there."""
    for found in o.of_kind(objects, "Deployment", "StatefulSet"):
        selector = found["spec"]["selector"]
        if not selector.get("matchLabels") or not o.selects(selector, o.labels_of(found)):
            yield f"{o.label(found)}: does not select its own pods"
        others = [one for one in o.selected(objects, selector) if one is not found]
        for other in others:
            yield f"{o.label(found)}: selects the pods of {o.label(other)} too"
        for spread in o.pod(found)["spec"].get("topologySpreadConstraints", []):
            if not o.selects(spread["labelSelector"], o.labels_of(found)):
                yield f"{o.label(found)}: spreads pods that are not its own"
    for found in o.of_kind(objects, "Service"):
        selector = {"matchLabels": found["spec"].get("selector", {})}
        if not selector["matchLabels"] or not o.selected(objects, selector):
            yield f"{o.label(found)}: selects no pod"
    for found in o.of_kind(objects, "PodDisruptionBudget"):
        if not o.selected(objects, found["spec"]["selector"]):
            yield f"{o.label(found)}: selects no pod"
    for found in o.of_kind(objects, "NetworkPolicy"):
        if not o.selected(objects, found["spec"]["podSelector"]):
            yield f"{o.label(found)}: selects no pod"
    for found in o.of_kind(objects, "PodMonitor"):
        if not o.selected(objects, found["spec"]["selector"]):
            yield f"{o.label(found)}: selects no pod"
    for found in o.of_kind(objects, "ServiceMonitor"):
        services = o.of_kind(objects, "Service")
        labels = [service["metadata"].get("labels", {}) for service in services]
        if not any(o.selects(found["spec"]["selector"], one) for one in labels):
            yield f"{o.label(found)}: selects no Service"


def policies_name_pods_that_are_there(objects: list[Object]) -> Iterator[str]:
    """A rule for pods of this namespace opens a way between pods that exist, to a port of theirs."""
    for found in o.of_kind(objects, "NetworkPolicy"):
        spec = found["spec"]
        for rule in spec.get("ingress", []):
            if not rule.get("ports"):
                yield f"{o.label(found)}: opens every port"
            targets = o.selected(objects, spec["podSelector"])
            yield from _ports_exist(found, rule, targets)
            for peer in rule.get("from", []):
                yield from _peer_exists(objects, found, peer)
        for rule in spec.get("egress", []):
            if not rule.get("ports"):
                yield f"{o.label(found)}: opens every port"
            for peer in rule.get("to", []):
                yield from _peer_exists(objects, found, peer)
                if "podSelector" in peer and "namespaceSelector" not in peer:
                    yield from _ports_exist(found, rule, o.selected(objects, peer["podSelector"]))


def _ports_exist(found: Object, rule: Object, targets: list[Object]) -> Iterator[str]:
    for port in rule.get("ports", []):
        for target in targets:
            ports = o.ports_of(target)
            if port["port"] not in (*ports, *ports.values()):
                yield f"{o.label(found)}: {o.label(target)} has no port {port['port']}"


def _peer_exists(objects: list[Object], found: Object, peer: Object) -> Iterator[str]:
    if "podSelector" not in peer or "namespaceSelector" in peer:
        return
    names = peer["podSelector"].get("matchLabels", {})
    # Labels of the kind handfoot/... are for pods that come later.
    is_ours = any(name.startswith("app.kubernetes.io/") for name in names)
    if is_ours and not o.selected(objects, peer["podSelector"]):
        yield f"{o.label(found)}: names pods that are not there: {names}"


def every_pod_is_closed_by_default(objects: list[Object]) -> Iterator[str]:
    """Of what no policy selects in a direction, everything is open in it."""
    for direction in ("Ingress", "Egress"):
        policies = [
            found
            for found in o.of_kind(objects, "NetworkPolicy")
            if direction in found["spec"].get("policyTypes", [])
        ]
        for workload in o.workloads(objects):
            labels = o.labels_of(workload)
            if not any(o.selects(one["spec"]["podSelector"], labels) for one in policies):
                yield f"{o.label(workload)}: no NetworkPolicy closes its {direction}"


def services_reach_ports(objects: list[Object]) -> Iterator[str]:
    for found in o.of_kind(objects, "Service"):
        targets = o.selected(objects, {"matchLabels": found["spec"].get("selector", {})})
        for port in found["spec"]["ports"]:
            for target in targets:
                ports = o.ports_of(target)
                goal = port.get("targetPort", port["port"])
                if goal not in (*ports, *ports.values()):
                    yield f"{o.label(found)}: {o.label(target)} has no port {goal}"
    for found in o.of_kind(objects, "GRPCRoute", "HTTPRoute"):
        for rule in found["spec"]["rules"]:
            for backend in rule["backendRefs"]:
                yield from _backend_exists(objects, found, backend)
    for found in o.of_kind(objects, "PodMonitor"):
        for endpoint in found["spec"]["podMetricsEndpoints"]:
            for target in o.selected(objects, found["spec"]["selector"]):
                if endpoint["port"] not in o.ports_of(target):
                    yield f"{o.label(found)}: {o.label(target)} has no port {endpoint['port']}"


def _backend_exists(objects: list[Object], found: Object, backend: Object) -> Iterator[str]:
    services = {one["metadata"]["name"]: one for one in o.of_kind(objects, "Service")}
    service = services.get(backend["name"])
    if not service:
        yield f"{o.label(found)}: there is no Service {backend['name']}"
    elif backend["port"] not in [port["port"] for port in service["spec"]["ports"]]:
        yield f"{o.label(found)}: {o.label(service)} has no port {backend['port']}"


def probes_are_whole(objects: list[Object]) -> Iterator[str]:
    """Every container that stays and listens is probed in all three ways, once each, on a port that
    it declares."""
    for found in o.of_kind(objects, "Deployment", "StatefulSet"):
        for container in o.pod(found)["spec"]["containers"]:
            if not container.get("ports"):
                continue
            for name in PROBES:
                if name not in container:
                    yield f"{o.label(found)}: {container['name']} has no {name}"
                    continue
                yield from _probe_problems(found, container, name)


def _probe_problems(found: Object, container: Object, name: str) -> Iterator[str]:
    probe, where = container[name], f"{o.label(found)}: {name}"
    handlers = [handler for handler in HANDLERS if handler in probe]
    if len(handlers) != 1:
        yield f"{where} has the handlers {handlers}, not one"
        return
    port = probe[handlers[0]].get("port")
    known = o.ports_of(found)
    if handlers == ["grpc"] and port not in known.values():
        yield f"{where} asks the port {port}, which is not declared"
    if handlers[0] in ("httpGet", "tcpSocket") and port not in (*known, *known.values()):
        yield f"{where} asks the port {port}, which is not declared"
    if probe.get("timeoutSeconds", 1) > probe.get("periodSeconds", 10):
        yield f"{where} has a time-out longer than its period"


def liveness_never_asks_the_store(objects: list[Object]) -> Iterator[str]:
    """Of our own programs: a Redis that is away must restart nothing."""
    for found in o.workloads(objects):
        for container in o.containers(found):
            if container["name"] not in DRAINS or not container.get("ports"):
                continue
            for name in ("startupProbe", "livenessProbe"):
                probe = container.get(name, {})
                asked = probe.get("grpc", {}).get("service"), probe.get("httpGet", {}).get("path")
                if asked not in (("liveness", None), (None, "/livez")):
                    yield f"{o.label(found)}: {name} asks {asked}, not for liveness"


def graces_fit_the_drain(objects: list[Object]) -> Iterator[str]:
    """The kubelet kills when the grace is over, and the grace counts the pause before SIGTERM."""
    for found in o.workloads(objects):
        spec = o.pod(found)["spec"]
        grace = spec.get("terminationGracePeriodSeconds", 30)
        for container in spec["containers"]:
            if container["name"] not in DRAINS:
                continue
            settings = o.environment(objects, container)
            drain = o.seconds(settings.get(DRAINS[container["name"]], "25s"))
            hook = container.get("lifecycle", {}).get("preStop", {}).get("sleep", {})
            needed = hook.get("seconds", 0) + drain + LETTING_GO_S
            if grace <= needed:
                yield f"{o.label(found)}: a grace of {grace} s does not fit {needed:.0f} s of ending"
            is_called = "grpc" in o.ports_of(found)
            if is_called and not hook.get("seconds"):
                yield f"{o.label(found)}: no pause in which callers forget the pod"


def requests_are_within_limits(objects: list[Object]) -> Iterator[str]:
    for found in o.workloads(objects):
        for container in o.containers(found):
            resources = container.get("resources", {})
            requests, limits = resources.get("requests", {}), resources.get("limits", {})
            for name in ("cpu", "memory"):
                if name not in requests:
                    yield f"{o.label(found)}: {container['name']} requests no {name}"
                elif name in limits and o.quantity(requests[name]) > o.quantity(limits[name]):
                    yield f"{o.label(found)}: {container['name']} requests more {name} than its limit"
            if "memory" not in limits:
                yield f"{o.label(found)}: {container['name']} has no limit of memory"


def pods_are_restricted(objects: list[Object]) -> Iterator[str]:
    """The profile "restricted" of the Pod Security Standards, and a little more."""
    for found in o.workloads(objects):
        spec = o.pod(found)["spec"]
        where, context = o.label(found), spec.get("securityContext", {})
        if spec.get("automountServiceAccountToken") is not False:
            yield f"{where}: mounts a token of the API that it does not need"
        if spec.get("enableServiceLinks") is not False:
            yield f"{where}: gets variables of every Service"
        for name in ("hostNetwork", "hostPID", "hostIPC"):
            if spec.get(name):
                yield f"{where}: {name}"
        if context.get("runAsNonRoot") is not True or context.get("runAsUser") != 65532:
            yield f"{where}: does not run as the user 65532"
        if context.get("seccompProfile", {}).get("type") != "RuntimeDefault":
            yield f"{where}: has no seccomp profile"
        allowed = {"configMap", "secret", "emptyDir", "persistentVolumeClaim", "projected", "name"}
        for volume in spec.get("volumes", []):
            if not set(volume) <= allowed:
                yield f"{where}: the volume {volume['name']} is of a kind that is not allowed"
        for container in o.containers(found):
            yield from _container_is_restricted(f"{where}: {container['name']}", container)


def _container_is_restricted(where: str, container: Object) -> Iterator[str]:
    context = container.get("securityContext", {})
    if context.get("allowPrivilegeEscalation") is not False:
        yield f"{where} may gain privileges"
    if context.get("readOnlyRootFilesystem") is not True:
        yield f"{where} may write to its root"
    if context.get("capabilities") != {"drop": ["ALL"]}:
        yield f"{where} keeps capabilities"
    if context.get("privileged") or context.get("runAsUser", 65532) == 0:
        yield f"{where} is privileged"
    if any("hostPort" in port for port in container.get("ports", [])):
        yield f"{where} takes a port of the node"


def pods_have_their_own_account(objects: list[Object]) -> Iterator[str]:
    accounts = {one["metadata"]["name"]: one for one in o.of_kind(objects, "ServiceAccount")}
    for found in o.workloads(objects):
        account = accounts.get(o.pod(found)["spec"].get("serviceAccountName", "default"))
        if account is None:
            yield f"{o.label(found)}: its ServiceAccount is not there"
        elif account.get("automountServiceAccountToken") is not False:
            yield f"{o.label(account)}: hands out tokens"


def images_are_chosen(objects: list[Object]) -> Iterator[str]:
    for found in o.workloads(objects):
        for container in o.containers(found):
            name, _, tag = container["image"].rpartition(":")
            if not name or "/" in tag or tag in MOVING_TAGS:
                yield f"{o.label(found)}: the image {container['image']} is not fixed"


def what_is_mounted_is_there(objects: list[Object]) -> Iterator[str]:
    """Volumes and environments name ConfigMaps that are rendered; mounts name volumes."""
    maps = {one["metadata"]["name"] for one in o.of_kind(objects, "ConfigMap")}
    for found in o.workloads(objects):
        spec = o.pod(found)["spec"]
        volumes = {volume["name"] for volume in spec.get("volumes", [])}
        claims = found["spec"].get("volumeClaimTemplates", [])
        volumes |= {claim["metadata"]["name"] for claim in claims}
        wanted = [one["configMap"]["name"] for one in spec.get("volumes", []) if "configMap" in one]
        for container in o.containers(found):
            wanted += [one["configMapRef"]["name"] for one in container.get("envFrom", [])]
            for mount in container.get("volumeMounts", []):
                if mount["name"] not in volumes:
                    yield f"{o.label(found)}: mounts {mount['name']}, which is no volume"
        for name in wanted:
            if name not in maps:
                yield f"{o.label(found)}: there is no ConfigMap {name}"


def files_of_secrets_are_where_they_are_looked_for(objects: list[Object]) -> Iterator[str]:
    """Every variable that names a file names one under a mount of the container."""
    for found in o.workloads(objects):
        for container in o.containers(found):
            mounts = [mount["mountPath"] for mount in container.get("volumeMounts", [])]
            for name, value in o.environment(objects, container).items():
                is_file = name.endswith("_FILE") and value
                if is_file and not any(value.startswith(f"{mount}/") for mount in mounts):
                    yield f"{o.label(found)}: {name}={value} is under no mount"


def scalers_have_targets(objects: list[Object]) -> Iterator[str]:
    """One scaler for a workload, whose target exists and has no number of its own."""
    scaled: list[str] = []
    for found in o.of_kind(objects, "HorizontalPodAutoscaler", "ScaledObject"):
        target = found["spec"]["scaleTargetRef"]
        kind, name = target.get("kind", "Deployment"), target["name"]
        least = found["spec"].get("minReplicas", found["spec"].get("minReplicaCount", 0))
        most = found["spec"].get("maxReplicas", found["spec"].get("maxReplicaCount", 100))
        if least > most:
            yield f"{o.label(found)}: at least {least} and at most {most} replicas"
        targets = [one for one in objects if o.label(one) == f"{kind}/{name}"]
        if not targets:
            yield f"{o.label(found)}: there is no {kind}/{name}"
        for one in targets:
            if "replicas" in one["spec"]:
                yield f"{o.label(one)}: has a number of replicas, and {o.label(found)} another"
        if f"{kind}/{name}" in scaled:
            yield f"{o.label(found)}: a second scaler for {kind}/{name}"
        scaled.append(f"{kind}/{name}")


def budgets_let_one_go(objects: list[Object]) -> Iterator[str]:
    """A budget that lets no pod go keeps every node from being emptied."""
    for found in o.of_kind(objects, "PodDisruptionBudget"):
        spec = found["spec"]
        if spec.get("maxUnavailable", 1) in (0, "0%"):
            yield f"{o.label(found)}: lets no pod go"
        for workload in o.selected(objects, spec["selector"]):
            least = _least_replicas(objects, workload)
            if least < 2:
                yield f"{o.label(found)}: guards {least} replica, which it cannot spare"
            if spec.get("minAvailable", 0) >= least:
                yield f"{o.label(found)}: lets no pod go of {least}"


def _least_replicas(objects: list[Object], workload: Object) -> int:
    for found in o.of_kind(objects, "HorizontalPodAutoscaler", "ScaledObject"):
        target = found["spec"]["scaleTargetRef"]
        if target["name"] == workload["metadata"]["name"]:
            return found["spec"].get("minReplicas", found["spec"].get("minReplicaCount", 0))
    return workload["spec"].get("replicas", 1)


def deployments_are_spread(objects: list[Object]) -> Iterator[str]:
    for found in o.of_kind(objects, "Deployment"):
        spreads = o.pod(found)["spec"].get("topologySpreadConstraints", [])
        keys = {spread["topologyKey"] for spread in spreads}
        if _least_replicas(objects, found) > 1 and keys != {
            "kubernetes.io/hostname",
            "topology.kubernetes.io/zone",
        }:
            yield f"{o.label(found)}: is not spread over nodes and zones"


def grpc_is_balanced(objects: list[Object]) -> Iterator[str]:
    """Whoever is called over gRPC has a Service for meshes and one whose name gives every pod."""
    for found in o.of_kind(objects, "Deployment"):
        if "grpc" not in o.ports_of(found):
            continue
        services = [
            one
            for one in o.of_kind(objects, "Service")
            if o.selects({"matchLabels": one["spec"]["selector"]}, o.labels_of(found))
        ]
        if not any(one["spec"].get("clusterIP") == "None" for one in services):
            yield f"{o.label(found)}: has no headless Service"
        if not any(one["spec"].get("clusterIP") != "None" for one in services):
            yield f"{o.label(found)}: has no Service with an address"
        for service in services:
            for port in service["spec"]["ports"]:
                if port["name"] == "grpc" and port.get("appProtocol") != "kubernetes.io/h2c":
                    yield f"{o.label(service)}: does not say that it speaks HTTP/2"


def the_namespace_is_restricted(objects: list[Object]) -> Iterator[str]:
    for found in o.of_kind(objects, "Namespace"):
        labels = found["metadata"].get("labels", {})
        if labels.get("pod-security.kubernetes.io/enforce") != "restricted":
            yield f"{o.label(found)}: does not enforce the restricted profile"


ALL: list[Check] = [
    names_are_labels,
    names_are_unique,
    everything_is_in_one_namespace,
    selectors_select,
    policies_name_pods_that_are_there,
    every_pod_is_closed_by_default,
    services_reach_ports,
    probes_are_whole,
    liveness_never_asks_the_store,
    graces_fit_the_drain,
    requests_are_within_limits,
    pods_are_restricted,
    pods_have_their_own_account,
    images_are_chosen,
    what_is_mounted_is_there,
    files_of_secrets_are_where_they_are_looked_for,
    scalers_have_targets,
    budgets_let_one_go,
    deployments_are_spread,
    grpc_is_balanced,
    the_namespace_is_restricted,
]
