"""The demo files are what their generators make, and what the tools offer."""

import gzip

import pytest

from benchmarks.demos import made
from core.demo import DEMOS, FOLDER


@pytest.mark.slow
def test_demo_files__are_as_they_are_made() -> None:
    files = dict(made())
    there = {path.relative_to(FOLDER): path.read_bytes() for path in FOLDER.rglob("*") if path.is_file()}
    assert there.keys() == files.keys()
    assert [path for path in there if _text(there[path]) != _text(files[path])] == []
    assert sum(map(len, there.values())) <= 2_000_000


def _text(data: bytes) -> bytes:
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def test_demos__name_all_files() -> None:
    named = {
        FOLDER / tool / name
        for tool, demos in DEMOS.items()
        for demo in demos
        for names in demo.files.values()
        for name in names
    }
    assert named == {path for path in FOLDER.rglob("*") if path.is_file()}
