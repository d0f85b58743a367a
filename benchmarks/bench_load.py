"""Twenty sessions that verify a pair each at once, a slider meanwhile, and one very large upload."""

import json
import os
import random
import statistics
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks.bench_tabular import make_pair
from benchmarks.dashboard import serve
from benchmarks.sessions import Session

N_SESSIONS = 20
N_RECORDS = 50_000
LARGE = 1_000_000_000
LIMITS = {"ratio": 15, "slider": 1.0, "memory": 2.5}


def run() -> None:
    """Print the times of one and of all, how many were right, the slider's times, and the memory."""
    pairs = [_pair(100 + number) for number in range(N_SESSIONS)]
    with serve() as (address, server):
        _verify(address, pairs[0])  # modules are loaded once
        before = _processor_seconds(server)
        alone = statistics.median(_verify(address, pair)[0] for pair in pairs[:3])
        between = _processor_seconds(server)
        with _slider_moved(address) as moves, ThreadPoolExecutor(N_SESSIONS) as visitors:
            done = list(visitors.map(lambda pair: _verify(address, pair), pairs))
        after = _processor_seconds(server)
    seconds = sorted(each[0] for each in done)
    last = seconds[round(0.95 * N_SESSIONS) - 1]
    print(
        f"a pair of {N_RECORDS:,} × 20 alone: {alone:.1f} s; {N_SESSIONS} at once: {seconds[0]:.1f} to "
        f"{seconds[-1]:.1f} s, 95th percentile {last:.1f} s, ratio {last / alone:.1f} "
        f"(limit {LIMITS['ratio']}); {sum(each[1] for each in done)} of {N_SESSIONS} right"
    )
    print(
        f"processor time of a pair: alone {(between - before) / 3:.1f} s, at once with the slider "
        f"{(after - between) / N_SESSIONS:.1f} s"
    )
    print(
        f"a slider meanwhile, {len(moves)} times: median {statistics.median(moves):.2f} s, "
        f"{min(moves):.2f} to {max(moves):.2f} s (limit {LIMITS['slider']} s)"
    )
    _print_memory()


def _pair(n_kept: int) -> tuple[int, dict[str, bytes]]:
    """Return the files of a pair that only one session has, and what its page has to say of them."""
    (original, anonymized), log = make_pair(N_RECORDS, n_kept=n_kept)
    actions = {
        entry.column: {"semantic": entry.semantic, "action": entry.action} for entry in log.entries.values()
    }
    said = json.dumps({"log_info": actions}).encode()
    return n_kept, {"x.csv": original, "x_anonymized.csv": anonymized, "x_anonymized_log.json": said}


def _verify(address: str, pair: tuple[int, dict[str, bytes]]) -> tuple[float, bool]:
    """Verify a pair in a session of its own; return the seconds, and whether the page says what is in it."""
    n_kept, files = pair
    session = Session(address, "tabular")
    seconds = session.upload("Originals", files)
    said = session.text
    session.close()
    return seconds, f"rows 1 to {n_kept}" in said and "50\\\\,000" in said


def _people(n: int) -> bytes:
    draw = random.Random(1)  # noqa: S311 - repeatable, not secret
    rows = [f"{draw.randrange(20, 90)},{draw.choice('FM')},t{draw.randrange(40)}" for _ in range(n)]
    return "\n".join(["age,sex,town", *rows]).encode()


@contextmanager
def _slider_moved(address: str) -> Iterator[list[float]]:
    """Move a slider of another session again and again, and note the seconds until it was answered."""
    session = Session(address, "risk")
    session.upload("table to be released", {"people.csv": _people(5000)})
    moves: list[float] = []
    is_over = threading.Event()

    def move() -> None:
        while not is_over.wait(1):
            k = 2 + len(moves) % 40
            moves.append(session.move("Smallest group size k", k, until=f"k = {k}"))

    mover = threading.Thread(target=move)
    mover.start()
    yield moves
    is_over.set()
    mover.join()


def _print_memory() -> None:
    """Upload one large table, and print the most memory that the server took for it."""
    (table, _), _ = make_pair(N_RECORDS)
    head, _, rows = table.partition(b"\n")
    data = head + b"\n" + rows * (LARGE // len(rows))
    with serve() as (address, server):
        session = Session(address, "risk")
        before = _memory(server)
        most = [before]
        is_over = threading.Event()

        def look() -> None:
            while not is_over.wait(0.05):
                most.append(_memory(server))

        looker = threading.Thread(target=look)
        looker.start()
        seconds = session.upload("table to be released", {"people.csv": data})
        is_over.set()
        looker.join()
    taken = max(most) - before
    print(
        f"one upload of {len(data) / 1e9:.2f} GB, read and audited in {seconds:.0f} s: peak "
        f"{taken / 1e9:.2f} GB, {taken / len(data):.2f} times its size (limit {LIMITS['memory']})"
    )


def _processor_seconds(server: int) -> float:
    """Return the processor seconds that a server took, with the processes that it started."""
    ticks = sum(sum(map(int, fields[11:15])) for _, fields in _processes(server))
    return ticks / os.sysconf("SC_CLK_TCK")


def _memory(server: int) -> int:
    """Return the bytes that a process and those it started take, shared ones counted once."""
    taken = 0
    for folder, _ in _processes(server):
        with suppress(OSError):
            taken += int((folder / "smaps_rollup").read_text().partition("Pss:")[2].split()[0]) << 10
    return taken


def _processes(server: int) -> Iterator[tuple[Path, list[str]]]:
    """Yield the folder of a process and of all that it and these started, with what the system counts."""
    found: dict[str, tuple[Path, list[str]]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            found[folder.name] = folder, (folder / "stat").read_text().rpartition(")")[2].split()
    wanted = [str(server)]
    for parent in wanted:  # which grows meanwhile
        wanted += [name for name, (_, fields) in found.items() if fields[1] == parent]
    yield from (found[name] for name in wanted if name in found)
