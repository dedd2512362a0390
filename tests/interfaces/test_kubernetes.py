"""`deploy/kubernetes`: the manifests fit together, and their commands are ones that Octavo has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from cli_calls import Octavo

from octavo.config.layered_config_loading import settings, variable
from octavo.config.schema import Config

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "deploy/kubernetes/octavo.yaml").read_text("utf-8")
DOCUMENTS: list[dict[str, Any]] = list(yaml.safe_load_all(TEXT))
VERSIONS = {"Job": "batch/v1", "Deployment": "apps/v1", "Service": "v1", "PodDisruptionBudget": "policy/v1"}
PODS = {
    document["metadata"]["name"]: document["spec"]["template"]
    for document in DOCUMENTS
    if "template" in document["spec"]
}


def containers() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for pod in PODS.values():
        for container in pod["spec"]["containers"]:
            yield pod["spec"], container


def test_every_manifest_has_a_kind_of_the_version_that_serves_it_and_a_name_of_its_own() -> None:
    assert [VERSIONS[document["kind"]] for document in DOCUMENTS] == [document["apiVersion"] for document in DOCUMENTS]
    names = [(document["kind"], document["metadata"]["name"]) for document in DOCUMENTS]
    assert len(names) == len(set(names))
    assert set(PODS) == {"octavo-migrate", "octavo-server", "octavo-worker"}


def test_selectors_find_the_pods_they_are_for() -> None:
    for document in DOCUMENTS:
        spec = document["spec"]
        if document["kind"] == "Job":
            continue
        chosen = spec["selector"].get("matchLabels", spec["selector"])
        found = [name for name, pod in PODS.items() if chosen.items() <= pod["metadata"]["labels"].items()]
        assert found == [document["metadata"]["name"] if "template" in spec else "octavo-server"]


def test_containers_run_as_nobody_in_particular_with_their_folders_mounted_and_their_ports_probed() -> None:
    image = re.search(r"--uid (\d+)", (ROOT / "deploy/Dockerfile").read_text("utf-8"))
    assert image is not None
    for pod, container in containers():
        assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] == int(image[1])
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}
        ports = {port["name"] for port in container.get("ports", ())}
        probes = [container[name] for name in ("startupProbe", "readinessProbe", "livenessProbe") if name in container]
        assert {probe["httpGet"]["port"] for probe in probes} == ports
        assert {probe["httpGet"]["path"] for probe in probes} <= {"/health", "/readyz"}


def test_variables_are_settings_and_secrets_are_those_that_the_first_lines_make() -> None:
    known = {variable(name) for name, _ in settings(Config())} | {"WORKER_ID"}
    secrets = set(re.findall(r"--from-literal=(\w+)=", TEXT))
    for _, container in containers():
        for given in container["env"]:
            assert given["name"] in known
            source = given.get("valueFrom", {}).get("secretKeyRef")
            assert source is None or (source["name"] == "octavo" and source["key"] in secrets)


@pytest.mark.parametrize("name", ["octavo-server", "octavo-worker"])
def test_arguments_are_options_of_the_command(octavo: Octavo, name: str) -> None:
    command, *arguments = PODS[name]["spec"]["containers"][0]["args"]
    told = octavo(command, "--help").stdout
    assert all(argument in told for argument in arguments if argument.startswith("--"))
