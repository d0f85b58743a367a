"""A large file is held once, where its reader sees it."""

import hashlib

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from core.files import input_bytes
from core.files.input_bytes import Shared
from core.tables import ReadOptions, read_dataset
from core.web import caching
from core.web.caching import Vault

pytestmark = pytest.mark.skipif(not input_bytes.HAS_SHARED_MEMORY, reason="memory files of Linux")


@pytest.mark.slow
def test_vault__holds_large_bytes_in_shared_memory_and_reads_them_as_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("core.tables.reading.WORTH_A_PROCESS", 1)
    monkeypatch.setattr("core.processes.bounded_process.WORTH_SHARING", 1)
    data = b"name,age\n" + b"".join(b"n%d,%d\n" % (i, i % 90) for i in range(50_000))
    usual = read_dataset(data, name="t.csv")
    for most in (1, 1 << 30):
        monkeypatch.setattr(caching, "_WORTH_SHARING", most)
        vault = Vault("session", MemoryUploadedFileManager("/upload"))
        stored = vault.put("t.csv", data)
        assert isinstance(stored.held, Shared) is (most == 1)
        assert (stored.data, stored.n_bytes, vault.n_bytes) == (data, len(data), len(data))
        read = vault.dataset(stored.key, ReadOptions())
        assert read.table.equals(usual.table)
        assert (read.sha256, read.n_bytes) == (hashlib.sha256(data).hexdigest(), len(data))
