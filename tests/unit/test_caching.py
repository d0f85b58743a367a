"""The vault holds a session's data once and forgets it at once."""

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from core import caching
from core.caching import Vault, owners_of
from core.errors import AuditInputError
from core.jobs import Job, JobState, Progress
from core.tables import ReadOptions

TABLE = b"age,sex\n30,F\n40,M\n"


@pytest.fixture
def vault() -> Vault:
    return Vault("session", MemoryUploadedFileManager("/upload"))


def test_put__holds_the_same_file_once(vault: Vault) -> None:
    first, second = vault.put("a.csv", TABLE), vault.put("a.csv", bytes(TABLE))
    assert first is second
    assert vault.n_bytes == len(TABLE)
    assert vault.file(first.key) is first


def test_put__keeps_two_names_of_the_same_bytes_apart(vault: Vault) -> None:
    assert vault.put("a.csv", TABLE).key != vault.put("b.csv", TABLE).key


def test_dataset__is_read_once_for_each_set_of_options(vault: Vault) -> None:
    key = vault.put("a.csv", TABLE).key
    dataset = vault.dataset(key, ReadOptions())
    assert dataset is vault.dataset(key, ReadOptions())
    assert dataset is vault.by_fingerprint[dataset.fingerprint]
    assert vault.dataset(key, ReadOptions(missing_spellings=())) is not dataset


def test_dataset__of_the_same_bytes_under_another_name_is_another(vault: Vault) -> None:
    first, second = (vault.put(name, TABLE).key for name in ("a.csv", "a_anonymized.csv"))
    tables = [vault.dataset(key, ReadOptions()) for key in (first, second)]
    assert tables[0].fingerprint != tables[1].fingerprint
    assert [vault.by_fingerprint[table.fingerprint].name for table in tables] == ["a.csv", "a_anonymized.csv"]


def test_dataset__says_the_same_error_again(vault: Vault) -> None:
    key = vault.put("a.csv", b"").key
    with pytest.raises(AuditInputError) as first:
        vault.dataset(key, ReadOptions())
    with pytest.raises(AuditInputError) as second:
        vault.dataset(key, ReadOptions())
    assert first.value.problems == second.value.problems


def test_remove__forgets_the_file_and_what_was_read_from_it(vault: Vault) -> None:
    key = vault.put("a.csv", TABLE).key
    bad = vault.put("bad.csv", b"").key
    fingerprint = vault.dataset(key, ReadOptions()).fingerprint
    with pytest.raises(AuditInputError):
        vault.dataset(bad, ReadOptions())
    vault.remove(key)
    vault.remove(bad)
    assert vault.file(key) is None
    assert fingerprint not in vault.by_fingerprint
    assert vault.is_empty
    with pytest.raises(AuditInputError, match="no longer in memory"):
        vault.dataset(key, ReadOptions())
    with pytest.raises(AuditInputError, match="no longer in memory"):
        vault.by_fingerprint[fingerprint]


def _work_until_stopped(progress: Progress) -> None:
    while not progress.stop_asked:
        pass


def test_start_job__stops_the_tool_s_former_work(vault: Vault) -> None:
    first = Job("first", _work_until_stopped)
    vault.start_job("vcf", first)
    second = Job("second", _work_until_stopped)
    vault.start_job("vcf", second)
    first.wait(10)
    assert first.state is JobState.STOPPED
    assert vault.job("vcf") is second
    second.stop()


def test_wipe__forgets_everything_and_stops_work(vault: Vault) -> None:
    key = vault.put("a.csv", TABLE).key
    vault.dataset(key, ReadOptions())
    job = Job("key", _work_until_stopped)
    vault.start_job("vcf", job)
    vault.wipe()
    job.wait(10)
    assert job.state is JobState.STOPPED
    assert vault.is_empty
    assert vault.n_bytes == 0
    assert vault.by_fingerprint == {}
    assert vault.job("vcf") is None


def _offered(vault: Vault, number: int, n_bytes: int) -> str:
    vault.offer(bytes(n_bytes), mime="text/csv", name=f"{number}.csv")
    return next(reversed(vault._downloads))


def test_offer__keeps_all_downloads_for_which_there_is_room(vault: Vault) -> None:
    ids = [_offered(vault, number, 10) for number in range(100)]
    assert all(owners_of(each) == {"session"} for each in ids)


def test_offer__lets_the_oldest_go_and_never_the_newest(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caching, "KEPT_DOWNLOADS", 30)
    first, second, third = (_offered(vault, number, 10) for number in range(3))
    assert _offered(vault, 0, 10) == first  # asked for again, so no longer the oldest
    fourth = _offered(vault, 3, 10)
    assert [bool(owners_of(each)) for each in (first, second, third, fourth)] == [True, False, True, True]
    large = _offered(vault, 4, 90)
    assert {*vault._downloads} == {large}
