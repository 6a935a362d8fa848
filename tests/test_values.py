"""What all values have in common."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass

import pytest

from leadline.values import Value, field, field_names, replace


class Ship(Value):
    """A value with what a class may have."""

    name: str
    masts: int = 1
    crew: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.masts < 0:
            raise ValueError("a ship has no fewer than no masts")


class Brig(Ship):
    """A value that has more."""

    guns: tuple[int, ...] = ()


class Flag(Value):
    """A value of which there may be sets."""

    colour: str


@dataclass(frozen=True)
class Buoy:
    """What stays a dataclass."""

    colour: str = "red"


def test_a_value_does_not_change() -> None:
    ship = Ship("Elise")
    with pytest.raises(AttributeError):
        setattr(ship, "masts", 2)  # noqa: B010 - that it cannot be is what is tested
    with pytest.raises(AttributeError):
        del ship.name
    assert Brig("Elise", guns=(1,)) == Brig("Elise", guns=(1,)) != Ship("Elise")


def test_values_are_compared_and_hashed_by_their_fields() -> None:
    assert {Flag("red"), Flag("red"), Flag("green")} == {Flag("green"), Flag("red")}
    match Ship("Elise", 3):
        case Ship(name, masts):
            assert (name, masts) == ("Elise", 3)


def test_a_changed_copy_is_checked_like_a_new_one() -> None:
    assert replace(Brig("Elise"), masts=2) == Brig("Elise", 2)
    assert replace(Buoy(), colour="green") == Buoy("green")
    with pytest.raises(ValueError, match="no fewer"):
        replace(Brig("Elise"), masts=-1)
    with pytest.raises(TypeError):
        replace(Ship("Elise"), sails=2)


def test_a_value_goes_to_another_process_and_back() -> None:
    brig = Brig("Elise", 2, {"mate": 1}, (4, 5))
    assert pickle.loads(pickle.dumps(brig)) == copy.deepcopy(brig) == brig
    assert repr(brig) == "Brig(name='Elise', masts=2, crew={'mate': 1}, guns=(4, 5))"


def test_fields_have_names() -> None:
    assert field_names(Brig) == ("name", "masts", "crew", "guns")
    assert field_names(Buoy) == ("colour",)
