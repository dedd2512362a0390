"""What a release consists of, as far as it can be told without making one: `./dev release --dry-run` makes it."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

import integrations  # noqa: E402
import release  # noqa: E402
from package_recipes import filled_recipes  # noqa: E402


def test_the_registry_of_mcp_servers_finds_this_version_by_the_name_in_the_readme():
    assert release.server_problems(release.version_here()) == []


def test_the_registry_of_mcp_servers_takes_the_shape_of_the_server_file():
    server = json.loads((ROOT / "server.json").read_text("utf-8"))
    dated = re.fullmatch(
        r"https://static\.modelcontextprotocol\.io/schemas/(\S+)/server\.schema\.json", server["$schema"]
    )
    assert dated and dated[1] == "2025-12-11"  # what the shapes below were read from
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", server["name"])
    assert all(1 <= len(server[name]) <= 100 for name in ("title", "description"))
    assert server["packages"]
    for package in server["packages"]:
        assert package["registryType"] in {"pypi", "oci"} and package["identifier"]
        assert re.fullmatch(r"\d+\.\d+\.\d+\S*", package["version"]), "neither a range nor latest"
        assert package["transport"] == {"type": "stdio"}
        for argument in package["packageArguments"]:
            assert argument["type"] == "positional" and (argument.get("value") or argument.get("valueHint"))
        assert all(variable["name"] for variable in package["environmentVariables"])


def test_notes_of_a_release_are_its_section_of_the_changelog():
    assert release.section("Unreleased").startswith("### ")
    assert "## [" not in release.section("Unreleased")
    assert release.notes_problems("999.0.0", released=True) == ["CHANGELOG.md has no section [999.0.0]"]


def test_a_tag_of_another_version_makes_no_release():
    run = subprocess.run(
        [sys.executable, str(ROOT / "scripts/release.py"), "--tag", "v999.0.0"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1 and "the tag is v999.0.0" in run.stderr


def test_workflows_check_every_python_that_the_package_names_and_call_only_commands_that_are_there():
    with (ROOT / "pyproject.toml").open("rb") as file:
        classifiers = tomllib.load(file)["project"]["classifiers"]
    named = {name.rsplit(" ", 1)[1] for name in classifiers if re.search(r"Python :: 3\.\d+$", name)}
    workflows = {
        path.stem: yaml.safe_load(path.read_text("utf-8")) for path in (ROOT / ".github/workflows").glob("*.yml")
    }
    assert set(workflows["check"]["jobs"]["check"]["strategy"]["matrix"]["python"]) == named
    commands = {
        command
        for workflow in workflows.values()
        for job in workflow["jobs"].values()
        for step in job.get("steps", [])
        for command in re.findall(r"\./dev (\w+)", step.get("run", ""))
    }
    script = (ROOT / "dev").read_text("utf-8")
    assert commands == {"check", "release", "docs", "integrations"}
    assert workflows["integrations"]["jobs"]["framework"]["strategy"]["matrix"]["name"] == list(integrations.PACKAGES)
    assert all(re.search(rf"^    {command}\)", script, re.MULTILINE) for command in commands)


def test_the_image_takes_only_what_it_copies_and_runs_as_nobody_special():
    image = (ROOT / "deploy/Dockerfile").read_text("utf-8")
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    copied = {name for line in re.findall(r"^COPY (?!--from)(.*)$", image, re.MULTILINE) for name in line.split()[:-1]}
    assert copied == sent and all((ROOT / name).exists() for name in copied)
    assert image.index("USER 10001") < image.index("ENTRYPOINT")


def test_recipes_of_other_package_managers_name_what_the_package_needs():
    filled = filled_recipes("1.2.3", "f" * 64)
    recipe, formula = yaml.safe_load(filled["recipe.yaml"]), filled["octavo.rb"]
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    assert len(recipe["requirements"]["run"]) == len(project["dependencies"]) + 1
    assert "onnxruntime >=1.18" in recipe["requirements"]["run"] and "python >=3.11" in recipe["requirements"]["run"]
    assert recipe["build"]["python"]["entry_points"] == [f"octavo = {project['scripts']['octavo']}"]
    assert (recipe["about"]["license"], recipe["about"]["summary"]) == (project["license"], project["description"])
    assert recipe["source"] == {"url": re.search(r'url "(.+)"', formula)[1], "sha256": "f" * 64}
    assert "@" not in re.sub(r"python@3\.\d+", "", "".join(filled.values()))
    assert formula.count("\n  def ") + formula.count(" do\n") + 1 == len(re.findall(r"^ *end$", formula, re.MULTILINE))
