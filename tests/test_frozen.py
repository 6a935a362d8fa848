"""`@frozen` makes dataclasses, to everybody who asks."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, asdict, field, fields, is_dataclass, replace
from typing import ClassVar

import pytest
from pydantic import TypeAdapter

from leadline.frozen import frozen


@frozen
class Place:
    """Where."""

    name: str
    kind: ClassVar[str] = "place"
    height: float = 0.0
    names: list[str] = field(default_factory=list)


@frozen
class Harbour(Place):
    """A place with ships."""

    ships: tuple[int, ...] = ()
    hidden: str = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.height < 0:
            raise ValueError("a harbour lies at the sea")


@frozen
class Plain:
    """Has nothing."""


def test_a_frozen_class_is_a_dataclass_with_its_fields_defaults_and_order() -> None:
    assert [one.name for one in fields(Harbour)] == ["name", "height", "names", "ships", "hidden"]
    assert Harbour.kind == "place"
    made = Harbour("Bergen", 1.5, ships=(1, 2))
    assert asdict(made) == {
        "name": "Bergen",
        "height": 1.5,
        "names": [],
        "ships": (1, 2),
        "hidden": "",
    }
    assert made.names is not Harbour("Oslo").names
    assert is_dataclass(made)
    assert Plain() == Plain()


def test_values_make_two_of_them_equal_and_the_class_tells_them_apart() -> None:
    assert Place("a", 1.0) == Place("a", 1.0) != Place("a", 2.0)
    assert Place("a") != Harbour("a")
    assert Harbour("a", hidden="x") == Harbour("a", hidden="y")
    assert hash(Plain()) == hash(Plain())
    with pytest.raises(TypeError, match="unhashable"):
        hash(Place("a"))


def test_it_is_shown_as_it_is_made_without_what_is_hidden() -> None:
    assert repr(Harbour("a", hidden="x")) == "Harbour(name='a', height=0.0, names=[], ships=())"


def test_nothing_can_be_set_or_deleted_but_a_changed_copy_can_be_made() -> None:
    made = Harbour("a")
    with pytest.raises(FrozenInstanceError, match="assign to field 'name'"):
        made.name = "b"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="delete field 'name'"):
        del made.name
    assert replace(made, name="b") == Harbour("b")
    assert copy.deepcopy(made) == made == pickle.loads(pickle.dumps(made))


def test_wrong_arguments_are_refused_also_by_the_first_call() -> None:
    @frozen
    class Fresh:
        """Never made before."""

        one: int

    with pytest.raises(TypeError, match="missing 1 required positional argument: 'one'"):
        Fresh()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'two'"):
        Fresh(one=1, two=2)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="at the sea"):
        Harbour("a", -1.0)


def test_a_subclass_that_is_not_decorated_is_made_like_its_base() -> None:
    class Below(Place):
        pass

    assert Below("a", 2.0).height == 2.0


def test_parts_can_be_matched_by_place() -> None:
    match Place("a", 3.0):
        case Place(name, height):
            assert (name, height) == ("a", 3.0)


def test_pydantic_reads_and_writes_it_as_a_dataclass() -> None:
    adapter = TypeAdapter(Harbour)
    made = adapter.validate_json('{"name": "a", "ships": [1]}')
    assert made == Harbour("a", ships=(1,))
    assert adapter.dump_python(made)["ships"] == (1,)


def test_many_threads_may_make_the_first_one_at_once() -> None:
    for _ in range(50):

        @frozen
        class Base:
            """Fields with and without defaults."""

            one: list[int] = field(default_factory=list)
            two: int = 2

        @frozen
        class Top(Base):
            """Asks its base."""

            three: list[int] = field(default_factory=list)

        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(lambda _, top=Top: top(), range(8)))
        assert all(one == Top() and one.three == [] and one.one == [] for one in made)


def test_the_first_instances_are_made_as_all_later_ones() -> None:
    @frozen
    class Buoy:
        name: str
        lit: bool = False
        bells: list[int] = field(default_factory=list)

    made = [Buoy("north", bells=[number]) for number in range(30)]
    assert [one.bells for one in made] == [[number] for number in range(30)]
    assert {(one.name, one.lit) for one in made} == {("north", False)}
    assert Buoy("south", True) == replace(made[0], name="south", lit=True, bells=[])


@pytest.mark.parametrize(
    ("args", "named", "said"),
    [
        ((), {}, "missing 1 required positional argument: 'name'"),
        (("a", 1.0, [], 4), {}, "from 2 to 4 positional arguments but 5 were given"),
        (("a",), {"name": "b"}, "multiple values for argument 'name'"),
        (("a",), {"depth": 3}, "unexpected keyword argument 'depth'"),
    ],
)
def test_what_a_class_does_not_take_is_refused_in_pythons_words_from_the_first_instance_on(
    args: tuple[object, ...], named: dict[str, object], said: str
) -> None:
    @frozen
    class Buoy:
        name: str
        height: float = 0.0
        names: list[str] = field(default_factory=list)

    with pytest.raises(TypeError, match=said):
        Buoy(*args, **named)  # type: ignore[arg-type]


def test_who_began_to_make_one_before_another_thread_compiled_the_class_still_gets_it() -> None:
    @frozen
    class Buoy:
        name: str

    class Lit(Buoy):
        pass

    begun = Buoy.__init__
    for number in range(30):
        Buoy(str(number))
    assert Buoy.__init__ is not begun
    for cls in (Buoy, Lit):
        one = cls.__new__(cls)
        begun(one, "north")
        assert one.name == "north"
