"""JSON that means the same everywhere, and is refused where reading it would keep others waiting."""

import json

import pytest

from core.files import plain_text
from core.files.plain_text import parsed_json


@pytest.mark.parametrize("given", ['{"a": ["é", {"b\\\\": "[,{"}]}', "[]", '"\\ud800"', "7"])
def test_parsed_json__is_what_json_reads(given: str) -> None:
    assert parsed_json(given) == parsed_json(given.encode()) == json.loads(given)


@pytest.mark.parametrize("mark", ["[", "{", ",", "\\"])
@pytest.mark.parametrize("at_once", [1, 4, 1 << 18])
def test_parsed_json__refuses_too_many_parts_wherever_they_stand(
    mark: str, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_text, "_MOST_PARTS", 5)
    monkeypatch.setattr(plain_text, "_AT_ONCE", at_once)
    within = json.dumps(" ".join("x" * 9))[:-1] + 5 * f" {mark}" + '"'
    for given in (within + f" {mark}", (within + f" {mark}").encode()):
        with pytest.raises(ValueError, match=r"^$"):
            parsed_json(given)
    assert plain_text._n_parts(within.encode()) == 5


def test_parsed_json__refuses_what_is_nested_deeply() -> None:
    with pytest.raises(ValueError, match=r"^$"):
        parsed_json("[" * 100_000)
