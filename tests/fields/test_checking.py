"""What fits a setting, compared with what pydantic takes for the same types and bounds."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import AfterValidator, Field, SecretStr, TypeAdapter, ValidationError

from leadline.fields.checking import fitting
from leadline.fields.secret import SecretText
from leadline.settings import Settings
from leadline.types import Tier

DECLARED = Settings.declared
# One of each kind with each sort of bounds; the rest differ in their numbers.
NAMES = sorted(
    {
        (str(one.kind), one.optional, len(one.bounds)): name for name, one in DECLARED.items()
    }.values()
)

NUMBERS = st.text("0123456789+-._eE infatyNI\t\n\x1c\x85٣", max_size=8)
SAID = "true FALSE yes Off 1 0 12 deep Deep strip semantic 2024-01 2024-1 http://h:1 ftp://h en"
WORDS = st.sampled_from((*SAID.split(), "abc\n", "http://h:99999", "postgresql://h/d"))
TEXTS = st.one_of(NUMBERS, WORDS, st.text(max_size=12), st.integers().map(str))
SINGLE = st.one_of(
    TEXTS,
    st.booleans(),
    st.integers(),
    st.integers(0, 100),
    st.floats(),
    st.floats(0, 100),
    st.none(),
)
IN_CODE = st.one_of(
    SINGLE,
    st.binary(max_size=6),
    NUMBERS.map(str.encode),
    st.decimals(),
    st.sampled_from(Tier),
    TEXTS.map(Path).filter(lambda path: "\0" not in str(path)),
    st.lists(SINGLE, max_size=3),
    st.lists(TEXTS, max_size=3).map(tuple),
    st.frozensets(TEXTS, max_size=3),
    st.dictionaries(TEXTS, SINGLE, max_size=2),
)
IN_A_FILE = st.one_of(
    SINGLE.filter(lambda one: one is not None),
    st.dates(),
    st.lists(SINGLE | st.dates(), max_size=3),
)


@cache
def theirs(name: str) -> TypeAdapter[Any]:
    one = DECLARED[name]
    kind: Any = SecretStr if one.kind is SecretText else one.kind
    for bounds in one.bounds:
        told = {word: held for word, held in vars(bounds).items() if held not in (None, "")}
        check = told.pop("check", None)
        kind = Annotated[kind, Field(**told)]
        if check is not None:
            kind = Annotated[kind, AfterValidator(check)]
    if one.kind is float:
        kind = Annotated[kind, Field(allow_inf_nan=False)]
    return TypeAdapter(kind | None if one.optional else kind)


def plain(value: Any) -> Any:
    """A value with its type, which `==` does not look at."""
    if isinstance(value, SecretStr | SecretText):
        return value.get_secret_value()
    if isinstance(value, tuple):
        return [plain(one) for one in value]
    return type(value), value


def compare(name: str, value: object, strict: bool) -> None:
    values, wrong = fitting(DECLARED, {name: value}, strict)
    try:
        if strict:
            taken = theirs(name).validate_json(json.dumps(value, default=str), strict=True)
        else:
            taken = theirs(name).validate_python(value)
    except ValidationError:
        assert list(wrong) == [name]
        assert wrong[name].startswith("must be ")
        assert not values
    else:
        assert not wrong
        assert plain(values[name]) == plain(taken)


@pytest.mark.contract("S19")
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60)
@given(IN_CODE)
@example("1_000.0")
@example("12.")
@example("1_e3")
@example("\x1c12")
@example("١٢")
@example(Decimal("12"))
@example(2.0**63)
@example(10**400)
@example(bytearray(b"12"))
@example("\udce9")
def test_a_value_of_code_a_variable_or_a_flag_fits_where_pydantic_takes_it(
    name: str, value: object
) -> None:
    compare(name, value, strict=False)


@pytest.mark.contract("S19")
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40)
@given(IN_A_FILE)
@example(date(2024, 1, 2))
@example([date(2024, 1, 2)])
@example(12.0)
@example(10**400)
def test_in_a_file_nothing_is_taken_for_another_type(name: str, value: object) -> None:
    compare(name, value, strict=True)


def test_what_is_wrong_is_told_in_the_order_of_the_settings() -> None:
    order = [name for name in DECLARED if name in ("seed", "tier", "store_url", "gate")]
    _, wrong = fitting(DECLARED, {name: object() for name in reversed(order)})
    assert list(wrong) == order


def test_a_check_of_our_own_speaks_in_its_own_words_once_the_rest_fits() -> None:
    _, wrong = fitting(DECLARED, {"otel_endpoint": "there"})
    assert wrong["otel_endpoint"] == "must be an address such as http://host:port, or nothing"
    _, wrong = fitting(DECLARED, {"otel_endpoint": "x" * 600})
    assert wrong["otel_endpoint"] == "must be text"


def test_what_is_given_once_is_read_once() -> None:
    values, _ = fitting(DECLARED, {"deny_domains": (one for one in ("a.org", "b.org"))})
    assert values["deny_domains"] == ("a.org", "b.org")
