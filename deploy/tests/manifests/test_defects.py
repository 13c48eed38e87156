"""Every check can fail: each deliberate defect is seen by the check that is there for it.

The defects are those that were once made, or that a tool was found not to see.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from kit import checks, objects as o, tools
from kit.objects import Object

Defect = Callable[[list[Object]], object]


def deployment(objects: list[Object], name: str = "game-service") -> Object:
    return o.named(objects, "Deployment", name)


def spec(objects: list[Object], name: str = "game-service") -> Object:
    return o.pod(deployment(objects, name))["spec"]


def container(objects: list[Object], name: str = "game-service") -> Object:
    return spec(objects, name)["containers"][0]


def config(objects: list[Object], name: str = "game-service") -> Object:
    [found] = [
        one
        for one in o.of_kind(objects, "ConfigMap")
        if one["metadata"]["name"].startswith(f"{name}-")
    ]
    return found["data"]


def of(objects: list[Object], kind: str, name: str = "game-service") -> Object:
    return o.named(objects, kind, name)["spec"]


def without(objects: list[Object], kind: str, name: str) -> None:
    objects.remove(o.named(objects, kind, name))


def again(objects: list[Object], kind: str, name: str, new: str) -> None:
    twin = copy.deepcopy(o.named(objects, kind, name))
    twin["metadata"]["name"] = new
    objects.append(twin)


# What is broken, and who must see it.
DEFECTS: dict[str, tuple[checks.Check, Defect]] = {
    "a name with a capital": (
        checks.names_are_labels,
        lambda all: of(all, "Service") and o.named(all, "Service", "game-service")["metadata"].update(name="Game"),
    ),
    "a port name that is too long": (
        checks.names_are_labels,
        lambda all: container(all)["ports"][0].update(name="the-grpc-port-of-it"),
    ),
    "an object twice": (checks.names_are_unique, lambda all: all.append(copy.deepcopy(all[-1]))),
    "another namespace": (
        checks.everything_is_in_one_namespace,
        lambda all: deployment(all)["metadata"].update(namespace="default"),
    ),
    "pods with another label": (
        checks.selectors_select,
        lambda all: o.labels_of(deployment(all)).update({"app.kubernetes.io/name": "game"}),
    ),
    "two deployments with the same pods": (
        checks.selectors_select,
        lambda all: again(all, "Deployment", "game-service", "game-service-2"),
    ),
    "a Service for nobody": (
        checks.selectors_select,
        lambda all: of(all, "Service").update(selector={"app": "game-service"}),
    ),
    "a budget for nobody": (
        checks.selectors_select,
        lambda all: of(all, "PodDisruptionBudget").update(selector={"matchLabels": {"app": "x"}}),
    ),
    "a spread of other pods": (
        checks.selectors_select,
        lambda all: spec(all)["topologySpreadConstraints"][0].update(labelSelector={"matchLabels": {"app": "x"}}),
    ),
    "a policy for nobody": (
        checks.selectors_select,
        lambda all: of(all, "NetworkPolicy").update(podSelector={"matchLabels": {"app": "x"}}),
    ),
    "a rule for a port that is not there": (
        checks.policies_name_pods_that_are_there,
        lambda all: of(all, "NetworkPolicy")["ingress"][0]["ports"][0].update(port=50052),
    ),
    "a rule out to a port that is not there": (
        checks.policies_name_pods_that_are_there,
        lambda all: of(all, "NetworkPolicy")["egress"][0]["ports"][0].update(port=6380),
    ),
    "a rule for pods that are not there": (
        checks.policies_name_pods_that_are_there,
        lambda all: of(all, "NetworkPolicy")["egress"][0].update(
            to=[{"podSelector": {"matchLabels": {"app.kubernetes.io/name": "valkey"}}}]
        ),
    ),
    "a rule for every port": (
        checks.policies_name_pods_that_are_there,
        lambda all: of(all, "NetworkPolicy")["ingress"][0].pop("ports"),
    ),
    "nothing is closed": (
        checks.every_pod_is_closed_by_default,
        lambda all: [without(all, "NetworkPolicy", name) for name in ("default-deny", "redis")],
    ),
    "a way out that is open": (
        checks.every_pod_is_closed_by_default,
        lambda all: [
            one["spec"].update(policyTypes=["Ingress"]) for one in o.of_kind(all, "NetworkPolicy")
        ],
    ),
    "a Service with a port name that is not there": (
        checks.services_reach_ports,
        lambda all: of(all, "Service")["ports"][0].update(targetPort="grpcs"),
    ),
    "a Service with a port number that is not there": (
        checks.services_reach_ports,
        lambda all: of(all, "Service", "redis")["ports"][0].update(targetPort=6380),
    ),
    "no readiness probe": (
        checks.probes_are_whole,
        lambda all: container(all).pop("readinessProbe"),
    ),
    "two handlers in a probe": (
        checks.probes_are_whole,
        lambda all: container(all)["livenessProbe"].update(tcpSocket={"port": 9090}),
    ),
    "a probe of a port that is not there": (
        checks.probes_are_whole,
        lambda all: container(all)["livenessProbe"]["grpc"].update(port=50052),
    ),
    "a probe of a port name that is not there": (
        checks.probes_are_whole,
        lambda all: o.containers(o.named(all, "StatefulSet", "redis"))[0]["livenessProbe"]["tcpSocket"].update(port="db"),
    ),
    "a probe that takes longer than its period": (
        checks.probes_are_whole,
        lambda all: container(all)["readinessProbe"].update(timeoutSeconds=6),
    ),
    "a liveness that asks the store": (
        checks.liveness_never_asks_the_store,
        lambda all: container(all)["livenessProbe"]["grpc"].update(service="readiness"),
    ),
    "a start that asks the store": (
        checks.liveness_never_asks_the_store,
        lambda all: container(all)["startupProbe"]["grpc"].pop("service"),
    ),
    "a grace shorter than pause and drain": (
        checks.graces_fit_the_drain,
        lambda all: spec(all).update(terminationGracePeriodSeconds=30),
    ),
    "a grace that is not given": (
        checks.graces_fit_the_drain,
        lambda all: spec(all).pop("terminationGracePeriodSeconds"),
    ),
    "a drain longer than the grace": (
        checks.graces_fit_the_drain,
        lambda all: config(all).update(HANDFOOT_DRAIN="1m"),
    ),
    "a drain of bots longer than the grace": (
        checks.graces_fit_the_drain,
        lambda all: config(all, "bot-service").update(HANDFOOT_BOT_DRAIN="30s"),
    ),
    "no pause before the end": (
        checks.graces_fit_the_drain,
        lambda all: container(all).pop("lifecycle"),
    ),
    "a request above the limit": (
        checks.requests_are_within_limits,
        lambda all: container(all)["resources"]["requests"].update(memory="2Gi"),
    ),
    "no limit of memory": (
        checks.requests_are_within_limits,
        lambda all: container(all)["resources"].pop("limits"),
    ),
    "no request of CPU": (
        checks.requests_are_within_limits,
        lambda all: container(all)["resources"]["requests"].pop("cpu"),
    ),
    "a privileged container": (
        checks.pods_are_restricted,
        lambda all: container(all)["securityContext"].update(privileged=True),
    ),
    "a container that may become more": (
        checks.pods_are_restricted,
        lambda all: container(all)["securityContext"].pop("allowPrivilegeEscalation"),
    ),
    "a root that can be written to": (
        checks.pods_are_restricted,
        lambda all: container(all)["securityContext"].pop("readOnlyRootFilesystem"),
    ),
    "capabilities": (
        checks.pods_are_restricted,
        lambda all: container(all)["securityContext"].update(capabilities={"drop": ["ALL"], "add": ["NET_ADMIN"]}),
    ),
    "another user": (
        checks.pods_are_restricted,
        lambda all: spec(all)["securityContext"].update(runAsUser=0),
    ),
    "no seccomp profile": (
        checks.pods_are_restricted,
        lambda all: spec(all)["securityContext"].pop("seccompProfile"),
    ),
    "a token of the API": (
        checks.pods_are_restricted,
        lambda all: spec(all).pop("automountServiceAccountToken"),
    ),
    "variables of every Service": (
        checks.pods_are_restricted,
        lambda all: spec(all).pop("enableServiceLinks"),
    ),
    "the network of the node": (
        checks.pods_are_restricted,
        lambda all: spec(all).update(hostNetwork=True),
    ),
    "a port of the node": (
        checks.pods_are_restricted,
        lambda all: container(all)["ports"][0].update(hostPort=50051),
    ),
    "a folder of the node": (
        checks.pods_are_restricted,
        lambda all: spec(all)["volumes"].append({"name": "x", "hostPath": {"path": "/"}}),
    ),
    "an account that is not there": (
        checks.pods_have_their_own_account,
        lambda all: spec(all).pop("serviceAccountName"),
    ),
    "an account that hands out tokens": (
        checks.pods_have_their_own_account,
        lambda all: o.named(all, "ServiceAccount", "game-service").pop("automountServiceAccountToken"),
    ),
    "an image without a tag": (
        checks.images_are_chosen,
        lambda all: container(all).update(image="registry.example.com:5000/game-service"),
    ),
    "the latest image": (
        checks.images_are_chosen,
        lambda all: container(all).update(image="handfoot/game-service:latest"),
    ),
    "a ConfigMap that is not there": (
        checks.what_is_mounted_is_there,
        lambda all: container(all).update(envFrom=[]) or spec(all)["volumes"].append(
            {"name": "x", "configMap": {"name": "x"}}
        ),
    ),
    "a mount of no volume": (
        checks.what_is_mounted_is_there,
        lambda all: spec(all)["volumes"].pop(),
    ),
    "a file under no mount": (
        checks.files_of_secrets_are_where_they_are_looked_for,
        lambda all: config(all).update(HANDFOOT_TOKEN_KEY_FILE="/etc/token-key"),
    ),
    "a number of replicas beside a scaler": (
        checks.scalers_have_targets,
        lambda all: deployment(all)["spec"].update(replicas=3),
    ),
    "a scaler of nothing": (
        checks.scalers_have_targets,
        lambda all: of(all, "HorizontalPodAutoscaler")["scaleTargetRef"].update(name="game"),
    ),
    "a second scaler": (
        checks.scalers_have_targets,
        lambda all: again(all, "HorizontalPodAutoscaler", "game-service", "game-service-2"),
    ),
    "more replicas at least than at most": (
        checks.scalers_have_targets,
        lambda all: of(all, "HorizontalPodAutoscaler").update(minReplicas=11),
    ),
    "a budget for one replica": (
        checks.budgets_let_one_go,
        lambda all: of(all, "HorizontalPodAutoscaler").update(minReplicas=1),
    ),
    "a budget that keeps all": (
        checks.budgets_let_one_go,
        lambda all: of(all, "PodDisruptionBudget").update(maxUnavailable=0),
    ),
    "a budget that keeps as many as there are": (
        checks.budgets_let_one_go,
        lambda all: of(all, "PodDisruptionBudget").update(minAvailable=2),
    ),
    "all replicas in one zone": (
        checks.deployments_are_spread,
        lambda all: spec(all)["topologySpreadConstraints"].pop(),
    ),
    "no Service that names every pod": (
        checks.grpc_is_balanced,
        lambda all: without(all, "Service", "game-service-headless"),
    ),
    "a Service that does not say HTTP/2": (
        checks.grpc_is_balanced,
        lambda all: of(all, "Service")["ports"][0].pop("appProtocol"),
    ),
    "a namespace that allows everything": (
        checks.the_namespace_is_restricted,
        lambda all: o.named(all, "Namespace", "handfoot")["metadata"].pop("labels"),
    ),
}


@pytest.fixture
def broken(request: pytest.FixtureRequest, renderings: dict[str, list[Object]]) -> list[Object]:
    return copy.deepcopy(renderings["base"])


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_is_seen(broken: list[Object], name: str) -> None:
    check, make = DEFECTS[name]
    assert list(check(broken)) == [], "the base has none of it"
    make(broken)
    assert list(check(broken)) != []


def test_every_check_can_fail() -> None:
    assert [check for check in checks.ALL if check not in [seen for seen, _ in DEFECTS.values()]] == []


# What only a schema or a model sees.
SCHEMA_DEFECTS: dict[str, Defect] = {
    "a misspelt field": lambda all: container(all).update(resource={}),
    "a text for a number": lambda all: spec(all).update(terminationGracePeriodSeconds="45"),
    "no selector": lambda all: deployment(all)["spec"].pop("selector"),
    "a kind that is not there any more": lambda all: deployment(all).update(apiVersion="extensions/v1beta1"),
    "a probe with TLS, which none of the three versions has": lambda all: container(all)["livenessProbe"][
        "grpc"
    ].update(tls=True),
}
MODEL_DEFECTS: dict[str, Defect] = {
    "a word that is none of an enum": lambda all: container(all).update(imagePullPolicy="Sometimes"),
    "a quantity that is none": lambda all: container(all)["resources"]["requests"].update(memory="128 MB"),
    "a route without a port's number": lambda all: of(all, "GRPCRoute")["rules"][0]["backendRefs"][0].update(port="grpc"),
}


@pytest.mark.parametrize("version", tools.KUBERNETES)
@pytest.mark.parametrize("name", SCHEMA_DEFECTS)
def test_a_defect_is_seen_by_the_schemas(broken: list[Object], name: str, version: str) -> None:
    SCHEMA_DEFECTS[name](broken)
    assert len(tools.schema(broken, version)) == 1


@pytest.mark.parametrize("name", MODEL_DEFECTS)
def test_a_defect_is_seen_by_the_models(renderings: dict[str, list[Object]], name: str) -> None:
    broken = copy.deepcopy(renderings["production"])
    MODEL_DEFECTS[name](broken)
    [problem] = tools.models(broken)
    assert problem


def test_a_field_that_is_too_new_is_seen(broken: list[Object]) -> None:
    container(broken)["livenessProbe"]["grpc"]["mode"] = "TLS"
    assert tools.schema(broken, "1.36") != []
    assert tools.schema(broken, "1.37") == [], "the newest of the three has it"


@pytest.mark.parametrize(
    "text",
    [
        "---\na: 1\na: 2\n",
        "---\na:\n   b: 1\n",
        "a: 1\n",
        "---\nmode: 0440\n",
    ],
    ids=["a key twice", "odd indentation", "no beginning", "an octal number"],
)
def test_a_defect_is_seen_by_the_linter(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text, encoding="utf-8")
    assert tools.lint(path) != []
    assert yaml.safe_load(text), "the parser takes it"
