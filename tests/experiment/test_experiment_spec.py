"""Bad experiments are refused before the first run, with what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from experiment_world import SPEC, written

from leadline.errors import BadInput
from leadline.experiment import load_spec
from leadline.experiment.design import schedule, settings_of

pytestmark = pytest.mark.contract("Z1")


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ('"claims", "searches"', '"claim"', "unknown response 'claim'; did you mean claims?"),
        ('"claims", "searches"', '"gold"', "the response gold needs `gold` in every task"),
        ('setting = "gate"', 'setting = "gat"', "did you mean gate?"),
        ('"semantic"]', '"psychic"]', "gate must be"),
        ('"semantic"]', '"none"]', "two levels are called 'none'"),
        ("no_model = true", 'gate = "none"', "gate is varied by the factor and held"),
        ("no_model = true", "seed = 3", "which the experiment decides"),
        ("no_model = true", 'brave_api_key = "k"', "keys belong in the environment"),
        ("replications = 2", "replications = 0", "`replications` must be a whole number"),
        ("replications = 2", "replication = 2", "did you mean replications?"),
        ('id = "b"', 'id = "a"', "two tasks have the id 'a'"),
        ('ask = "When is a refund paid?"', 'ask = " "', "the question is empty"),
        ("seed = 4", "seed = ", "is not valid TOML"),
        ("[factor]", "[factors]", "unknown key 'factors'; did you mean factor?"),
        ('levels = ["none", "heuristic", "semantic"]', 'levels = ["none"]', "at least two"),
    ],
)
def test_a_wrong_experiment_is_refused_with_the_reason(
    tmp_path: Path, was: str, now: str, said: str
) -> None:
    assert was in SPEC
    with pytest.raises(BadInput) as refused:
        load_spec(written(tmp_path, SPEC.replace(was, now)))
    assert said in str(refused.value)


def test_the_order_is_random_but_the_same_for_a_seed(tmp_path: Path) -> None:
    spec = load_spec(written(tmp_path))
    keys = [cell.key for cell in schedule(spec)]
    assert len(set(keys)) == 18
    assert keys == [cell.key for cell in schedule(load_spec(written(tmp_path)))]
    assert keys != sorted(keys)
    other = load_spec(written(tmp_path, SPEC.replace("seed = 4", "seed = 5")))
    assert keys != [cell.key for cell in schedule(other)]


def test_levels_are_compared_with_the_same_seeds_and_without_memory(tmp_path: Path) -> None:
    spec = load_spec(written(tmp_path))
    seeds: dict[str, set[int]] = {}
    for cell in schedule(spec):
        settings = settings_of(spec, cell, "run", freeze=True)
        seeds.setdefault(cell.level.name, set()).add(settings["seed"])
        assert settings["memory"] is False
        assert settings["frozen"] is True
    assert seeds["none"] == seeds["heuristic"] == seeds["semantic"] == {4001, 4002}


def test_a_folder_of_prompts_or_several_settings_can_be_a_level(tmp_path: Path) -> None:
    levels = (
        'levels = [{ name = "ours" }, '
        '{ name = "mine", settings = { prompts = "mine", gate = "none" } }]'
    )
    text = SPEC.replace('setting = "gate"\n', 'name = "prompts"\n')
    text = text.replace('levels = ["none", "heuristic", "semantic"]', levels)
    spec = load_spec(written(tmp_path, text))
    assert spec.factor.name == "prompts"
    assert spec.factor.levels[1].settings["prompts"] == tmp_path / "mine"


def test_groups_of_tasks_can_be_the_factor(tmp_path: Path) -> None:
    text = SPEC.replace(
        'setting = "gate"\nlevels = ["none", "heuristic", "semantic"]', 'tasks = "group"'
    )
    with pytest.raises(BadInput, match="task 'a' has none"):
        load_spec(written(tmp_path, text))
    grouped = text.replace("id =", 'group = "x"\nid =', 2).replace(
        'id = "c"', 'group="y"\nid = "c"'
    )
    spec = load_spec(written(tmp_path, grouped))
    assert [level.name for level in spec.factor.levels] == ["x", "y"]
    assert len(schedule(spec)) == 6


def test_the_experiment_that_ships_is_sound() -> None:
    path = Path(__file__).resolve().parents[2] / "examples" / "experiments" / "task-types.toml"
    spec = load_spec(path)
    assert [level.name for level in spec.factor.levels] == [
        "enumerated",
        "best practices",
        "research",
    ]
    assert spec.replications == 3
    assert spec.settings["policy"] == "fixed"
    assert spec.settings["searches_per_task"] == 2
