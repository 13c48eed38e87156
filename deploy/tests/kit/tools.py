"""The tools of others, each as a function from objects or files to a list of problems.

Invariant: a tool that cannot run is an error, never an empty list.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import kubernetes_validate
import yaml
from yamllint import linter
from yamllint.config import YamlLintConfig

from kit import objects as o
from kit.objects import Object
from kit.places import DEPLOY, TOOLS

# What is supported upstream, and so what the manifests are held against.
KUBERNETES = ("1.35", "1.36", "1.37")

# Kinds of extensions, whose schemas no Kubernetes has. Any other unknown kind is a mistake.
EXTENSIONS = {
    ("gateway.networking.k8s.io/v1", "Gateway"),
    ("gateway.networking.k8s.io/v1", "GRPCRoute"),
    ("gateway.envoyproxy.io/v1alpha1", "BackendTrafficPolicy"),
}
# Of those the ones for which there are no models either: only their YAML is checked, by nobody's
# schema.
WITHOUT_MODEL = {("gateway.envoyproxy.io/v1alpha1", "BackendTrafficPolicy")}

# Policies of checkov that are not ours, and why.
CHECKOV_SKIPPED = {
    "CKV_K8S_8": "our own check: whoever has a port is probed; bot-service has none yet",
    "CKV_K8S_9": "the same",
    "CKV_K8S_11": "no limit of CPU: it throttles when speed is needed; requests share the node",
    "CKV_K8S_15": "images have fixed tags or digests, so pulling them again brings nothing",
    "CKV_K8S_43": "a digest is the operator's to set, with `kustomize edit set image`",
}
CHECKOV_DOCKERFILE_SKIPPED = {
    "CKV_DOCKER_2": "the orchestrator probes; an image without a shell has no health command",
}


def lint(path: Path) -> list[str]:
    """Of one YAML file as it was written: duplicate keys, indentation, where a document begins."""
    config = YamlLintConfig(file=str(DEPLOY / "yamllint.yaml"))
    text = path.read_text(encoding="utf-8")
    return [f"{path}:{found}" for found in linter.run(text, config, str(path))]


def schema(objects: list[Object], version: str) -> list[str]:
    """Against the schemas of one version: unknown fields, types, what is required."""
    problems = []
    for found in objects:
        if (found["apiVersion"], found["kind"]) in EXTENSIONS:
            continue
        try:
            kubernetes_validate.validate(found, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            path = ".".join(str(part) for part in error.path)
            problems.append(f"{o.label(found)}: {path}: {error.message}")
        except kubernetes_validate.SchemaNotFoundError as error:
            problems.append(f"{o.label(found)}: {error.message}")
    return problems


def models(objects: list[Object]) -> list[str]:
    """Against the models: enums, quantities, patterns, kinds of extensions."""
    known = [one for one in objects if (one["apiVersion"], one["kind"]) not in WITHOUT_MODEL]
    # kubectl breaks what it encodes into lines, which the API server allows and the models do not.
    known = [one | {"data": _in_one_line(one["data"])} if one["kind"] == "Secret" else one for one in known]
    command = ["node", TOOLS / "models" / "check.mjs"]
    given = json.dumps(known)
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def _in_one_line(data: dict[str, str]) -> dict[str, str]:
    return {name: "".join(value.split()) for name, value in data.items()}


def checkov(path: Path, framework: str, skipped: dict[str, str]) -> list[str]:
    """Policies: what should not be allowed although it is valid."""
    command = [
        TOOLS / "checkov" / "bin" / "checkov",
        "--file", path, "--framework", framework, "--skip-download", "--quiet", "--compact",
        "--output", "json", "--skip-check", ",".join(skipped),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise AssertionError(f"checkov did not run:\n{done.stdout}{done.stderr}") from error
    reports = report if isinstance(report, list) else [report]
    assert all("results" in one for one in reports), f"checkov found nothing to check in {path}"
    failed = [found for one in reports for found in one["results"]["failed_checks"]]
    return [f"{found['resource']}: {found['check_id']}: {found['check_name']}" for found in failed]


def hadolint(path: Path) -> list[str]:
    """Of a Dockerfile: style and safety, and the shell within it."""
    command = [Path(sys.executable).parent / "hadolint", "--format", "json", path]
    done = subprocess.run(command, capture_output=True, text=True)
    return [f"{path}:{one['line']}: {one['code']}: {one['message']}" for one in json.loads(done.stdout)]


def dump(objects: list[Object], path: Path) -> Path:
    path.write_text(yaml.safe_dump_all(objects, sort_keys=False), encoding="utf-8")
    return path
