"""Classes of settings: defaults, bounds, frozen, and no secret in sight."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import pytest

from leadline.errors import BadInput, WrongSetting
from leadline.fields.secret import NO_KEY, SecretText
from leadline.fields.setting import Bounds, Fields, setting
from leadline.settings import Settings

Share = Annotated[float, Bounds(ge=0, le=1)]


class Harbour(Fields):
    """Where ships lie."""

    berths: int = setting(default=4, ge=1, description="Ships that can lie there.")
    ice: Share | None = setting(default=None, description="How much of it freezes.")
    names: list[str] = setting(default_factory=list, description="What it is called.")


class Light(Fields):
    """What shows the way."""

    seconds: float = setting(default=5.0, gt=0, le=60, description="From flash to flash.")
    code: SecretText = setting(default=NO_KEY, description="What the keeper says.")


class Port(Harbour, Light):
    """Both."""

    berths: int = setting(default=9, ge=2, description="More of them.")
    pilot: bool = setting(default=False, description="Whether one comes aboard.")


def test_what_was_not_given_has_its_default() -> None:
    port = Port(pilot=True)
    assert (port.berths, port.ice, port.seconds, port.pilot, port.names) == (9, None, 5.0, True, [])
    assert Harbour().berths == 4
    assert Harbour().names is not Harbour().names


def test_a_class_of_classes_has_the_settings_of_all() -> None:
    assert list(Port.declared) == ["seconds", "code", "berths", "ice", "names", "pilot"]
    assert Port.declared["berths"].description == "More of them."
    assert list(Harbour.declared) == ["berths", "ice", "names"]


def test_a_declaration_tells_type_default_and_bounds() -> None:
    ice = Port.declared["ice"]
    assert (ice.kind, ice.optional, ice.default) == (float, True, None)
    assert [(one.ge, one.le) for one in ice.bounds] == [(0, 1)]
    assert Port.declared["seconds"].optional is False


@pytest.mark.contract("S19")
def test_what_does_not_fit_is_refused_all_at_once() -> None:
    with pytest.raises(WrongSetting) as told:
        Port(berths=1, ice=2.0)
    assert str(told.value) == (
        "berths must be a whole number, at least 2\nice must be a number, at least 0 and at most 1"
    )
    assert isinstance(told.value, BadInput)
    assert isinstance(told.value, ValueError)


@pytest.mark.contract("S19")
def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(WrongSetting, match="there is no setting cranes"):
        Port(cranes=2)  # type: ignore[call-arg]
    with pytest.raises(WrongSetting, match="there is no setting cranes"):
        Port().but(cranes=2)


def test_settings_are_frozen() -> None:
    port = Port()
    with pytest.raises(AttributeError, match=r"but\(berths="):
        port.berths = 3  # type: ignore[misc]
    with pytest.raises(AttributeError, match="frozen"):
        del port.berths
    assert port.berths == 9


def test_others_are_made_of_some_and_checked() -> None:
    port = Port(pilot=True)
    other = port.but(berths=12, seconds=3)
    assert (other.berths, other.seconds, other.pilot, port.berths) == (12, 3.0, True, 9)
    with pytest.raises(WrongSetting, match="seconds must be a number, above 0 and at most 60"):
        port.but(seconds=0)


def test_settings_are_equal_where_all_values_are() -> None:
    assert Port(berths=9) == Port()
    assert Port(berths=8) != Port()
    assert Harbour() != Light()
    assert hash(Light(seconds=5)) == hash(Light())


def test_settings_can_be_copied_and_sent_elsewhere() -> None:
    made = Settings(docs=(Path("a"),), brave_api_key=SecretText("k"))
    for other in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert other == made


@pytest.mark.contract("X2")
def test_nothing_secret_is_shown() -> None:
    made = Settings(
        openai_api_key=SecretText("sk-of-mine"), searxng_url="http://anna:hunter2@box/?token=abcdef"
    )
    for said in (repr(made), str(made), str(made.values()["openai_api_key"]), f"{made}"):
        assert not [one for one in ("sk-of-mine", "hunter2", "abcdef") if one in said]
    assert "searxng_url" in repr(made)
    with pytest.raises(WrongSetting) as told:
        Settings(store_url=SecretText("mysql://anna:hunter2@box"))
    assert "hunter2" not in str(told.value)


def test_loading_settings_does_not_load_what_checks_requests() -> None:
    code = "import sys; from leadline.settings import load; load(env={'RESEARCH_TIER': 'deep'})"
    code += "; print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
