"""The examples of docs/library.md run, one after the other, on the demos' files."""

import re
from pathlib import Path

import pytest

from pages.components import navigation

PAGE = Path(__file__).parents[1] / "docs/library.md"


def test_library__examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for tool in navigation.TOOLS:
        for demo in tool.demos:
            for files in demo.make().values():
                for file in files:
                    (tmp_path / file.name).write_bytes(file.data)
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == len(navigation.TOOLS) + 1  # one with a model of its own
    names: dict[str, object] = {}
    for example in examples:
        exec(compile(example, str(PAGE), "exec"), names)  # noqa: S102 - our own examples
