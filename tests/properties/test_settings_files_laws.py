"""Laws of settings files: what is set comes back the same from a file and from the words of a command."""

import argparse
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from core.commands.audit import add_arguments
from core.errors import AuditInputError
from core.events.settings import DEFAULT_LEAVE_OUT, DERIVED_COLUMNS
from core.settings.asked import Asked
from core.settings.files import (
    ToolSettings,
    fill,
    known_settings,
    read_settings,
    settings_asked,
    settings_toml,
)
from core.settings.form import Setting, described, given_options
from core.tools import TOOLS
from core.tools import tool as declared
from docs.generated import settings_schema
from tests.thorough import times, tried

names = st.text(min_size=1, max_size=12).filter(lambda name: not name.startswith("-"))
FILES = {tool: ["a.csv"] for tool in TOOLS} | {"vcf": ["-o", "a", "-a", "b"], "leakage": ["a", "b"]}
laws = settings(max_examples=times(200), suppress_health_check=[HealthCheck.too_slow])


def values_of(told: Setting) -> st.SearchStrategy[Any]:
    """Return what a setting may be in a file."""
    one = _one_of(told)
    if not told.is_plain:
        return st.dictionaries(names, names, max_size=3)
    if told.is_grouped:
        return st.lists(st.lists(names, min_size=1, max_size=3), min_size=1, max_size=2)
    if told.is_several:
        return st.lists(one, min_size=1, max_size=3, unique=True)
    return one | st.just("none") if told.may_be_none else one


def _one_of(told: Setting) -> st.SearchStrategy[Any]:
    if told.choices:
        return st.sampled_from([*told.choices])
    if told.kind is bool:
        return st.just(value=True)
    ends = max(told.least, told.above, -1e6), min(told.most, told.below, 1e6)
    if told.kind is int:
        return st.integers(math.ceil(ends[0]), math.floor(ends[1]))
    if told.kind is float:
        inside = st.floats(*ends, allow_nan=False)
        return inside.filter(lambda number: told.above < number < told.below)
    return names


@st.composite
def asked(draw: st.DrawFn, tool: str) -> dict[str, Any]:
    """Draw settings that contradict each other in nothing."""
    known = {name: told for name, told in known_settings(tool).items() if not told.secret}
    chosen = draw(st.lists(st.sampled_from([*known]), unique=True, max_size=8))
    values = {name: draw(values_of(known[name])) for name in chosen}
    if tool == "events":
        columns = draw(st.lists(st.sampled_from(DERIVED_COLUMNS[:8]), unique=True, min_size=1))
        values |= {
            "columns": columns,
            "flatten": draw(st.sampled_from(columns)),
            "leave_out": [*DEFAULT_LEAVE_OUT],
        }
        apart = (*"flatten_steps sensitive leave_out_none keep_user_ids time_column event_column".split(),)
        values = {name: value for name, value in values.items() if name not in apart}
    ordered = {"min_motif": "max_motif", "relinkage_warn_share": "relinkage_fail_share"}
    for low, high in ordered.items():
        if low in known and (low in values or high in values):
            values |= zip((low, high), sorted(draw(values_of(known[low])) for _ in range(2)), strict=True)
    return values


@pytest.mark.one_of(3)
@pytest.mark.parametrize("tool", TOOLS)
@given(data=st.data())
@laws
def test_settings__come_back_from_toml_and_from_a_command(tool: str, data: st.DataObject) -> None:
    before = ToolSettings(tool=tool, values=data.draw(asked(tool)))
    after = read_settings(settings_toml(before), name="s.toml", tool=tool)
    assert after.settings == before
    assert after.notes == ()
    content = {"tool": tool, "version": before.version, "settings": dict(before.values)}
    assert list(Draft202012Validator(settings_schema(tool)).iter_errors(content)) == []
    said = settings_asked(tool, [[*FILES[tool], *before.words]])
    plain = {name: value for name, value in before.values.items() if known_settings(tool)[name].is_plain}
    assert {name: said.values[name] for name in plain} == plain
    assert settings_asked(tool, [[*FILES[tool], *said.words]]) == said


@pytest.mark.one_of(3)
@pytest.mark.parametrize("tool", TOOLS)
@given(data=st.data())
@laws
def test_settings__reach_the_command_as_options_do(tool: str, data: st.DataObject) -> None:
    asked_for = ToolSettings(tool=tool, values=data.draw(asked(tool)))
    known = known_settings(tool)
    filled = fill(Asked(), asked_for, ())
    parser = argparse.ArgumentParser()
    add_arguments(parser, declared(tool))
    typed = parser.parse_args([*FILES[tool], *asked_for.words])
    for form in declared(tool).forms:
        names = {name for name in described(form) if known[name].is_plain}
        by_file, by_words = given_options(form, filled), given_options(form, typed)
        assert {name: by_file.get(name) for name in names} == {name: by_words.get(name) for name in names}


@pytest.mark.parametrize("tool", TOOLS)
@given(data=st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode()))
@tried(60)
def test_settings__are_read_or_refused_in_sentences(tool: str, data: bytes) -> None:
    try:
        read_settings(data, name="s.toml", tool=tool)
    except AuditInputError as error:
        found = error.problems
    else:
        found = ()
    assert [problem for problem in found if not problem.startswith("s.toml")] == []
