"""Containers that are really run, with Podman, from images made here.

Invariant: images, containers and networks are in a store of their own under a folder of the test,
and are gone afterwards; whatever listens does so on the loopback address.
"""

from __future__ import annotations

import copy
import json
import os
import random
import shutil
import socket
import subprocess
from pathlib import Path

import yaml

from kit import objects as o
from kit.objects import Object
from kit.places import DEPLOY

NETWORK = "handfoot-check"
# Addresses of its own, so that a pod can be told its address before it starts, as a cluster does.
SUBNET = "10.89.77.0/24"
FIRST_ADDRESS = 10

# Programs of the Redis image, and the names under which manifests call them: Valkey and Redis are
# the same for all that is done here, and Debian has the latter.
REDIS = {"redis-server": "valkey-server", "redis-cli": "valkey-cli"}


class Podman:
    """Podman and Buildah with a store of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        config = folder / "storage.conf"
        config.write_text(
            f'[storage]\ndriver = "overlay"\ngraphroot = "{folder}/store"\nrunroot = "{folder}/run"\n',
            encoding="utf-8",
        )
        self.environment = os.environ | {
            "CONTAINERS_STORAGE_CONF": str(config),
            "CONTAINERS_CONF": str(DEPLOY / "images" / "containers.conf"),
        }

    def run(self, *command: str | Path, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Any command, in this store."""
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        if check and done.returncode != 0:
            raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done

    def podman(self, *arguments: str | Path, check: bool = True) -> str:
        return self.run("podman", *arguments, check=check).stdout.strip()

    def inspect(self, name: str, kind: str = "container") -> Object:
        [found] = json.loads(self.podman("inspect", "--type", kind, name))
        return found

    def logs(self, container: str) -> str:
        done = self.run("podman", "logs", container, check=False)
        return done.stdout + done.stderr

    def close(self) -> None:
        """Takes away all that it has made."""
        self.podman("pod", "rm", "--all", "--force", check=False)
        self.podman("rm", "--all", "--force", "--time", "0", check=False)
        self.podman("network", "rm", "--force", NETWORK, check=False)
        self.podman("volume", "rm", "--all", "--force", check=False)
        self.podman("rmi", "--all", "--force", check=False)
        self.run("umount", "--quiet", self.folder / "store" / "overlay", check=False)
        shutil.rmtree(self.folder / "store", ignore_errors=True)

    def files(self, image: str) -> dict[str, int]:
        """Every file of an image and its size in bytes, by its path."""
        mounted = Path(self.run("podman", "image", "mount", image).stdout.strip())
        found = {
            str(path.relative_to(mounted)): path.lstat().st_size
            for path in sorted(mounted.rglob("*"))
            if not path.is_dir()
        }
        self.podman("image", "unmount", image)
        return found


def redis_image(podman: Podman, folder: Path) -> str:
    """An image of Redis from the files of this machine, under the name that the manifests have."""
    for program, alias in REDIS.items():
        found = shutil.which(program)
        assert found, f"{program} is not installed"
        put(Path(found), folder / "bin" / alias)
        linked = subprocess.run(["ldd", found], capture_output=True, text=True, check=True)
        for word in linked.stdout.split():
            if word.startswith("/"):
                put(Path(word), folder / word.lstrip("/"))
    # For the scripts of components/redis-cluster.
    put(Path(shutil.which("busybox") or "/bin/busybox"), folder / "bin" / "busybox")
    for applet in ("sh", "cat", "grep", "sleep", "tar"):
        (folder / "bin" / applet).symlink_to("busybox")
    recipe = folder.with_suffix(".Containerfile")
    recipe.write_text("FROM scratch\nCOPY . /\nENV PATH=/bin\nUSER 65532:65532\n", encoding="utf-8")
    image = "localhost/valkey/valkey:check"
    build = ["buildah", "build", "--isolation", "chroot", "--quiet", "-t", image, "-f", recipe, folder]
    podman.run(*build)
    return image


def put(source: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source.resolve(), to)


def free_port() -> int:
    """A port of the loopback address that nobody listens on, and that the system gives to nobody
    who does not ask for it by its number."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as found:
            if found.connect_ex(("127.0.0.1", port)) != 0:
                return port


class Played:
    """One workload of a rendering, as a pod that runs."""

    def __init__(self, podman: Podman, workload: Object, ports: dict[str, int]) -> None:
        self.podman, self.workload, self.ports = podman, workload, ports
        self.name = workload["metadata"]["name"]
        [self.container] = o.containers(workload)
        # As Podman names the first pod of a Deployment, and its containers.
        self.pod_name = f"{self.name}-pod-0"
        self.container_name = f"{self.pod_name}-{self.container['name']}"

    def execute(self, *command: str) -> str:
        return self.podman.podman("exec", self.container_name, *command)

    def address(self, port: str | int) -> str:
        """Where a declared port, by name or number, is reached from here."""
        by_number = {one["containerPort"]: one["name"] for one in self.container["ports"]}
        return f"127.0.0.1:{self.ports[by_number.get(port, port)]}"

    def logs(self) -> str:
        return self.podman.logs(self.container_name)


class Cluster:
    """What of a rendering Podman can run: every workload once, Services as names."""

    def __init__(
        self, podman: Podman, folder: Path, rendering: list[Object], images: dict[str, str], secrets: Path
    ) -> None:
        self.podman, self.folder, self.rendering = podman, folder, rendering
        self.images, self.secrets = images, secrets
        self._last_address = FIRST_ADDRESS
        if podman.run("podman", "network", "exists", NETWORK, check=False).returncode != 0:
            podman.podman("network", "create", "--subnet", SUBNET, NETWORK)

    def play(self, name: str, ordinal: int | None = None) -> Played:
        """Starts the pod of a Deployment or StatefulSet, changed in nothing that is not listed here:
        images, secrets and data as folders of this machine, ports on the loopback address, and that
        nothing is started again by itself. Of a set with several it starts the one with a number."""
        [workload] = [one for one in o.workloads(self.rendering) if one["metadata"]["name"] == name]
        workload = copy.deepcopy(workload)
        aliases = self._aliases(workload)
        self._last_address += 1
        address = SUBNET.replace("0/24", str(self._last_address))
        if ordinal is not None:
            # The name of the pod, and the one that its headless Service gives it.
            service, name = workload["spec"]["serviceName"], f"{name}-{ordinal}"
            workload["metadata"]["name"] = name
            aliases += [f"{name}.{service}"]
        # Podman knows Deployments only, and one pod of each.
        workload |= {"kind": "Deployment", "apiVersion": "apps/v1"}
        workload["spec"]["replicas"] = 1
        spec = o.pod(workload)["spec"]
        spec["restartPolicy"] = "Never"
        ports = {}
        for container in spec["containers"]:
            container["image"] = self._image(container["image"])
            container["env"] = [_resolved(one, name, address) for one in container.get("env", [])]
            for port in container.get("ports", []):
                ports[port["name"]] = free_port()
                port |= {"hostPort": ports[port["name"]], "hostIP": "127.0.0.1"}
        spec["volumes"] = [self._volume(name, one) for one in spec.get("volumes", [])]
        for claim in workload["spec"].pop("volumeClaimTemplates", []):
            spec["volumes"].append(self._data(name, claim["metadata"]["name"]))
        text = yaml.safe_dump_all([*o.of_kind(self.rendering, "ConfigMap"), workload], sort_keys=False)
        path = self.folder / f"{name}.yaml"
        path.write_text(text, encoding="utf-8")
        network = f"{NETWORK}:ip={address}" + "".join(f",alias={alias}" for alias in aliases)
        self.podman.podman("play", "kube", "--build=false", "--network", network, path)
        return Played(self.podman, workload, ports)

    def _aliases(self, workload: Object) -> list[str]:
        """The names of the Services that lead to a workload."""
        return [
            found["metadata"]["name"]
            for found in o.of_kind(self.rendering, "Service")
            if o.selects({"matchLabels": found["spec"]["selector"]}, o.labels_of(workload))
        ]

    def _image(self, image: str) -> str:
        [found] = [ours for name, ours in self.images.items() if f"/{name}:" in f"/{image}"]
        return found

    def _volume(self, workload: str, volume: Object) -> Object:
        if "secret" not in volume:
            return volume
        wanted = volume["secret"]["secretName"]
        # A generated secret has a hash after its name.
        [source] = [one for one in self.secrets.iterdir() if wanted.startswith(one.name)]
        folder = self.folder / f"{workload}-{volume['name']}"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source, folder)
        # What fsGroup and defaultMode do in a cluster.
        for path in [folder, *folder.iterdir()]:
            os.chown(path, 0, 65532)
            path.chmod(0o750 if path.is_dir() else 0o440)
        return {"name": volume["name"], "hostPath": {"path": str(folder), "type": "Directory"}}

    def _data(self, workload: str, name: str) -> Object:
        """Survives the pod, as a claim does."""
        folder = self.folder / f"{workload}-{name}"
        folder.mkdir(exist_ok=True)
        os.chown(folder, 65532, 65532)
        return {"name": name, "hostPath": {"path": str(folder), "type": "Directory"}}


def _resolved(variable: Object, name: str, address: str) -> Object:
    """A variable whose value the cluster gives, with that value."""
    field = variable.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath")
    values = {"metadata.name": name, "status.podIP": address}
    return {"name": variable["name"], "value": values[field]} if field else variable
