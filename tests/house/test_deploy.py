"""What is in `deploy/` speaks of things that are there: settings, commands, extras, metrics."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from leadline.cli.app import program
from leadline.observe.metrics import Metrics
from leadline.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"


def compose() -> dict[str, Any]:
    whole: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    return whole


@pytest.mark.contract("H5")
def test_the_compose_file_has_both_servers_a_service_and_two_workers() -> None:
    services = compose()["services"]
    assert set(services) == {"postgres", "temporal", "serve", "worker"}
    assert services["worker"]["deploy"]["replicas"] == 2
    for name in ("serve", "worker"):
        for server in ("postgres", "temporal"):
            assert services[name]["depends_on"][server]["condition"] == "service_healthy"
        assert "postgres:5432" in services[name]["environment"]["RESEARCH_STORE_URL"]
        assert "temporal:7233" in services[name]["environment"]["RESEARCH_ENGINE_URL"]
    fair = yaml.safe_load((DEPLOY / "temporal.yaml").read_text("utf-8"))
    assert fair["matching.enableFairness"] == [{"value": True}]
    assert fair["matching.numTaskqueueReadPartitions"] == [{"value": 1}]


def test_the_containers_of_kubernetes_run_commands_with_options_and_settings_that_exist() -> None:
    parts = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text("utf-8")))
    pods = [part["spec"]["template"]["spec"] for part in parts if part["kind"] == "Deployment"]
    for (container,) in (pod["containers"] for pod in pods):
        command, *arguments = container["args"]
        known = {flag for param in program.commands[command].params for flag in param.opts}
        assert {one for one in arguments if one.startswith("--")} <= known
    settings = next(part["data"] for part in parts if part["kind"] == "ConfigMap")
    assert {name.removeprefix("RESEARCH_").lower() for name in settings} <= set(Settings.declared)


@pytest.mark.parametrize("name", ["serve", "worker"])
def test_a_container_runs_a_command_with_options_and_settings_that_exist(name: str) -> None:
    service = compose()["services"][name]
    command, *arguments = service["command"]
    known = {flag for param in program.commands[command].params for flag in param.opts}
    assert {one for one in arguments if one.startswith("--")} <= known
    for variable in service["environment"]:
        if variable.startswith("RESEARCH_"):
            assert variable.removeprefix("RESEARCH_").lower() in Settings.declared


def test_the_image_installs_extras_that_exist() -> None:
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    wanted = re.search(r'"\.\[([a-z,]+)\]"', text)
    assert wanted
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(wanted.group(1).split(",")) <= set(project["optional-dependencies"])
    for path in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE):
        assert all((ROOT / one).exists() for one in path.split())


@pytest.mark.contract("O1")
def test_every_name_on_the_dashboard_is_one_of_our_metrics() -> None:
    board = json.loads((DEPLOY / "grafana" / "leadline.json").read_text("utf-8"))
    asked = " ".join(target["expr"] for panel in board["panels"] for target in panel["targets"])
    asked = re.sub(r"by \([^)]*\)", "", asked)
    named = set(re.findall(r"\b([a-z]+(?:_[a-z]+)+)(?=[\[)])", asked))
    ours = {
        sample
        for metric in Metrics().registry.collect()
        for sample in (
            metric.name,
            f"{metric.name}_total",
            *(f"{metric.name}_{part}" for part in ("bucket", "sum", "count")),
        )
    }
    assert named <= ours
    assert {"search_failures_total", "iterations_per_request_sum"} <= named
    assert "research_loop_duration_seconds_bucket" in named
