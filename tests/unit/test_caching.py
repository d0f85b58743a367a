"""The vault holds a session's data once and forgets it at once."""

import importlib
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from core.errors import AuditInputError
from core.processes.jobs import Job, JobState, Progress
from core.tables import Dataset, ReadOptions
from core.web import caching
from core.web.caching import Vault, owners_of

TABLE = b"age,sex\n30,F\n40,M\n"


@pytest.fixture
def vault() -> Vault:
    return Vault("session", MemoryUploadedFileManager("/upload"))


def test_put__holds_the_same_file_once_and_two_names_of_the_same_bytes_apart(vault: Vault) -> None:
    first, second = vault.put("a.csv", TABLE), vault.put("a.csv", bytes(TABLE))
    assert first is second
    assert vault.n_bytes == len(TABLE)
    assert vault.file(first.key) is first
    other = vault.put("a_anonymized.csv", TABLE)
    assert other.key != first.key
    tables = [vault.dataset(each.key, ReadOptions()) for each in (first, other)]
    assert tables[0].fingerprint != tables[1].fingerprint
    assert [table.name for table in tables] == ["a.csv", "a_anonymized.csv"]


def test_dataset__is_read_once_for_each_set_of_options(vault: Vault) -> None:
    key = vault.put("a.csv", TABLE).key
    dataset = vault.dataset(key, ReadOptions())
    assert dataset is vault.dataset(key, ReadOptions())
    assert vault.dataset(key, ReadOptions(missing_spellings=())) is not dataset


def test_dataset__says_the_same_error_again(vault: Vault) -> None:
    key = vault.put("a.csv", b"").key
    said = []
    for _ in range(2):
        with pytest.raises(AuditInputError) as caught:
            vault.dataset(key, ReadOptions())
        said.append(caught.value.problems)
    assert said[0] == said[1]


def test_remove__forgets_the_file_and_what_was_read_from_it(vault: Vault) -> None:
    key, bad = vault.put("a.csv", TABLE).key, vault.put("bad.csv", b"").key
    vault.dataset(key, ReadOptions())
    with pytest.raises(AuditInputError):
        vault.dataset(bad, ReadOptions())
    vault.remove(key)
    vault.remove(bad)
    assert vault.file(key) is None
    assert vault.is_empty
    with pytest.raises(AuditInputError, match="no longer in memory"):
        vault.dataset(key, ReadOptions())


def _work_until_stopped(progress: Progress) -> None:
    while not progress.stop_asked:
        pass


def test_start_job_and_wipe__stop_the_tool_s_former_work(vault: Vault) -> None:
    first, second = (Job(name, _work_until_stopped) for name in ("first", "second"))
    vault.start_job("vcf", first)
    vault.start_job("vcf", second)
    first.wait(10)
    assert first.state is JobState.STOPPED
    assert vault.job("vcf") is second
    vault.dataset(vault.put("a.csv", TABLE).key, ReadOptions())
    vault.wipe()
    second.wait(10)
    assert second.state is JobState.STOPPED
    assert vault.is_empty
    assert (vault.n_bytes, vault.job("vcf")) == (0, None)


@dataclass(frozen=True)
class _Form:
    values: dict[str, int]


def test_remembered__works_out_once_for_tables_and_settings_that_are_equal_and_forgets_the_oldest(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def measure(table: Dataset, form: _Form) -> object:
        calls.append(table.name)
        return object()

    monkeypatch.setattr(caching, "vault", lambda: vault)
    find = caching.remembered(kept=2)(measure)
    names = [vault.put(name, TABLE).key for name in ("a.csv", "b.csv", "c.csv")]
    first, second, third = (vault.dataset(key, ReadOptions()) for key in names)
    found = find(first, _Form({"k": 2}))
    assert find(replace(first), _Form({"k": 2})) is found
    assert find(first, _Form({"k": 3})) is not found
    assert calls == ["a.csv", "a.csv"]
    find(second, _Form({"k": 2}))
    find(third, _Form({"k": 2}))
    assert find(second, _Form({"k": 2})) is not None
    assert calls == ["a.csv", "a.csv", "b.csv", "c.csv"]
    assert find(first, _Form({"k": 2})) is not found
    vault.wipe()
    find(first, _Form({"k": 2}))
    assert calls[4:] == ["a.csv", "a.csv"]


def _same(*given: object) -> tuple[object, ...]:
    return given


def test_remove__forgets_what_was_found_in_the_file_alone(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caching, "vault", lambda: vault)
    keys = [vault.put(name, TABLE).key for name in ("a.csv", "b.csv")]
    first, second = (vault.dataset(key, ReadOptions()) for key in keys)
    find = caching.remembered()(_same)
    asked = [(first,), ([second, first], 2), (vault.needed(keys[0]),), (second,)]
    found = [find(*given) for given in asked]
    vault.remove(keys[0])
    assert [find(*given) is known for given, known in zip(asked, found, strict=True)] == [
        *(False,) * 3,
        True,
    ]


def _count(given: set[int]) -> int:
    return len(given)


def test_remembered__refuses_what_has_no_value_to_be_remembered_by(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caching, "vault", lambda: vault)
    with pytest.raises(TypeError, match="unhashable"):
        caching.remembered()(_count)({1, 2})


def _offered(vault: Vault, number: int, n_bytes: int) -> str:
    vault.offer(bytes(n_bytes), mime="text/csv", name=f"{number}.csv")
    return next(reversed(vault._downloads))


def test_offer__lets_the_oldest_go_where_there_is_no_room_and_never_the_newest(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [_offered(vault, number, 10) for number in range(100)]
    assert all(owners_of(each) == {"session"} for each in ids)
    monkeypatch.setattr(caching, "KEPT_DOWNLOADS", 30)
    first, second, third = (_offered(vault, number, 10) for number in range(200, 203))
    assert _offered(vault, 200, 10) == first  # asked for again, so no longer the oldest
    fourth = _offered(vault, 203, 10)
    assert [bool(owners_of(each)) for each in (first, second, third, fourth)] == [True, False, True, True]
    large = _offered(vault, 204, 90)
    assert {*vault._downloads} == {large}


def _remembering() -> dict[str, Any]:
    """Return every function of the pages that is remembered, by its name."""
    root = Path(caching.__file__).parents[1]
    modules = [".".join(path.relative_to(root).with_suffix("").parts) for path in root.glob("pages/**/*.py")]
    parts = [part for name in modules for part in vars(importlib.import_module(name)).items()]
    inner = caching.remembered()(_same).__code__
    return {f"{one.__module__}.{name}": one for name, one in parts if getattr(one, "__code__", None) is inner}


@pytest.mark.slow
def test_remembered__every_cache_of_the_pages_sees_one_cell_of_100_000_rows(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key made of a sample of the rows would give the result of another table."""
    for name, module in [*sys.modules.items()]:
        if name == "core.web.caching" or (name.startswith("pages.") and hasattr(module, "vault")):
            monkeypatch.setattr(module, "vault", lambda: vault)
    rows = [b"%d,%d" % (number, number % 90) for number in range(100_000)]
    key = vault.put("a.csv", b"id,age\n" + b"\n".join(rows)).key
    rows[50_000] = b"50000,91"
    other = vault.put("a.csv", b"id,age\n" + b"\n".join(rows)).key
    given = [vault.needed(key), vault.needed(other)]
    given += [vault.dataset(each, ReadOptions()) for each in (key, other)]
    asked = _remembering()
    assert len(asked) > 20
    for name, find in asked.items():
        (work,) = [cell for cell in find.__closure__ if cell.cell_contents is find.__wrapped__]
        monkeypatch.setattr(work, "cell_contents", lambda *given: [each.n_bytes for each in given])
        found = [find(each) for each in given] + [find(given[2], each) for each in given]
        assert all(one is not two for n, one in enumerate(found) for two in found[:n]), name
        assert find(given[2], given[3]) is found[-1], name


def test_remembered__of_two_sessions_neither_sees_the_other_s(monkeypatch: pytest.MonkeyPatch) -> None:
    vaults = [Vault(name, MemoryUploadedFileManager("/upload")) for name in ("one", "two")]
    find = caching.remembered()(_same)
    found = []
    for held in vaults:
        monkeypatch.setattr(caching, "vault", lambda held=held: held)
        table = held.dataset(held.put("a.csv", TABLE).key, ReadOptions())
        found.append(find(table))
        assert find(table) is found[-1]
    assert found[0] is not found[1]
