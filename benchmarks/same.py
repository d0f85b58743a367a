"""Are the answers as before? ``make same`` files them, ``make same AGAINST=<commit>`` says what differs.

The reports of some hundred calls are filed as JSON into `build/same/<commit>`. What they are held against is
a folder filed so, or a commit, whose own code is then asked the same. Two reports are compared as `verify`
compares them, a line for each place that differs; exit codes and what was said are compared too.
"""

import argparse
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FILED = ROOT / "build" / "same"
PYTHON = (sys.executable, "-P")  # which finds no `core` in the folder that it is started in
MOST = 12  # differences of a call that are printed
UNSTEADY = (
    "created_at",
    "digests",
    "content_digest",
    "seconds",
    "versions",
    "platform",
)  # of each run its own


def main(words: Sequence[str] | None = None) -> int:
    """File the answers of this checkout, and compare them where asked; 1 where any differs."""
    parser = argparse.ArgumentParser(prog="make same", description="Are the answers the same as before?")
    parser.add_argument(
        "against", nargs="?", metavar="AGAINST", help="a commit, or a folder of filed answers"
    )
    parser.add_argument("--only", metavar="TOOL", default="", help="ask the calls of one command alone")
    asked = parser.parse_args(words)
    given, only = asked.against or "", asked.only
    before = _against(given)
    began = time.monotonic()
    now = file_answers(ROOT, FILED / f"{_commit()}{only and f'-{only}'}", only=only)
    print(f"{len(answers(now))} answers filed in {now.relative_to(ROOT)}, {time.monotonic() - began:.0f} s")
    if not given:
        return 0
    lines = list(differences(before or _of_commit(given), now, partly=bool(only)))
    print("\n".join(lines) if lines else "nothing differs")
    return int(bool(lines))


def _against(given: str) -> Path | None:
    """Return the folder that is meant, None for a commit; a sentence for what is neither."""
    if not given:
        return None
    for folder in (Path(given), FILED / given):
        if folder.is_dir():
            if not answers(folder):
                raise SystemExit(f"AGAINST={given}: the folder holds no filed answers; name a commit.")
            return folder
    if _git("cat-file", "-e", f"{given}^{{commit}}", check=False) is None:
        raise SystemExit(f"AGAINST={given}: no commit of this repository, and no folder of filed answers.")
    filed = FILED / str(_git("rev-parse", "--short=12", given))
    return filed if filed.is_dir() and answers(filed) else None


def _of_commit(given: str) -> Path:
    """File the answers of a commit by its own code, in a work tree that goes again."""
    filed = FILED / str(_git("rev-parse", "--short=12", given))
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "tree"
        _git("worktree", "add", "--quiet", "--detach", str(tree), given)
        try:
            return file_answers(tree, filed)
        finally:
            _git("worktree", "remove", "--force", str(tree))


def _commit() -> str:
    """Return what the answers of this checkout are filed under."""
    changed = _git("status", "--porcelain", "--untracked-files=no")
    return f"{_git('rev-parse', '--short=12', 'HEAD')}{'-changed' if changed else ''}"


def _git(*words: str, check: bool = True) -> str | None:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=check)  # noqa: S607
    return done.stdout.strip() if done.returncode == 0 else None


def file_answers(code: Path, folder: Path, *, only: str = "") -> Path:
    """Ask the code of a checkout everything, or what one command answers, and file its answers as JSON."""
    from benchmarks.same_calls import calls  # noqa: PLC0415 - not of the processes that answer

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    asked: queue.SimpleQueue[Any] = queue.SimpleQueue()
    with tempfile.TemporaryDirectory() as inputs, _code_of(code):
        for call in calls(Path(inputs), [*PYTHON, "-m", "core"]):
            if only in ("", call.words[0]):
                asked.put({"name": call.name, "folder": str(call.folder), "words": call.words})
        answering = [threading.Thread(target=_ask, args=(asked, folder)) for _ in range(os.cpu_count() or 1)]
        for each in answering:
            each.start()
        for each in answering:
            each.join()
    return folder


@contextmanager
def _code_of(code: Path) -> Iterator[None]:
    """Let new processes find `core` in a checkout, whatever folder they stand in."""
    kept = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(code)
    try:
        yield
    finally:
        os.environ.pop("PYTHONPATH")
        if kept is not None:
            os.environ["PYTHONPATH"] = kept


def _ask(asked: queue.SimpleQueue[Any], folder: Path) -> None:
    """Let one process answer question after question; a new one takes over from one that ends."""
    answering: subprocess.Popen[str] | None = None
    while not asked.empty():
        try:
            call = asked.get_nowait()
        except queue.Empty:
            break
        if answering is None or answering.poll() is not None:
            words = [*PYTHON, "-c", _ANSWERING]
            answering = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
        assert answering.stdin is not None
        assert answering.stdout is not None
        answering.stdin.write(json.dumps(call) + "\n")
        answering.stdin.flush()
        told = answering.stdout.readline()
        answer = json.loads(told) if told else {"exit": "the process ended"}
        (folder / f"{call['name']}.json").write_text(json.dumps(answer, ensure_ascii=False), encoding="utf-8")
    if answering is not None:
        answering.communicate()


# What a process does that answers: a call a line, as JSON, its outcome a line on stdout. Nothing of this
# checkout is imported but the `core` that is asked.
_ANSWERING = """
import contextlib, io, json, os, sys, tempfile
from pathlib import Path
from core.__main__ import main

out = sys.stdout
for line in sys.stdin:
    call = json.loads(line)
    os.chdir(call["folder"])
    said, printed = io.StringIO(), io.StringIO()
    with tempfile.TemporaryDirectory() as reports, contextlib.redirect_stderr(said):
        with contextlib.redirect_stdout(printed):
            try:
                code = main([*call["words"], "--json", "--report", reports, "--formats", "json"])
            except SystemExit as error:
                code = error.code
            found = [json.loads(each.read_text("utf-8")) for each in sorted(Path(reports).glob("*.json"))]
    answer = {"exit": code, "said": said.getvalue().replace(reports, "").splitlines(), "report": found}
    answer["printed"] = [] if found else printed.getvalue().splitlines()
    print(json.dumps(answer, ensure_ascii=False), file=out, flush=True)
"""


def answers(folder: Path) -> dict[str, Path]:
    """Return the filed answers of a folder by the names of their calls."""
    return {path.stem: path for path in sorted(folder.glob("*.json"))}


def differences(before: Path, now: Path, *, partly: bool = False) -> Iterator[str]:
    """Yield a line for each place where the answers of two folders differ; `partly`: where both have one."""
    from core.filed.repeating import differences_between  # noqa: PLC0415 - see above

    one, other = answers(before), answers(now)
    for name in other if partly else dict.fromkeys((*one, *other)):
        if name not in one or name not in other:
            yield f"{name}: {'asked now alone' if name not in one else 'no longer asked'}"
            continue
        told = [_steady(json.loads(each[name].read_text(encoding="utf-8"))) for each in (one, other)]
        found = list(differences_between(*told))
        yield from (f"{name}: {each.where}: {each.filed} → {each.now}" for each in found[:MOST])
        if len(found) > MOST:
            yield f"{name}: and {len(found) - MOST} more"


def _steady(value: Any) -> Any:
    """Return an answer without what is another in each run; pairs of files in the order of their names."""
    if isinstance(value, Mapping):
        kept = {key: _steady(each) for key, each in value.items() if key not in UNSTEADY}
        if isinstance(pairs := kept.get("pairs"), list):
            kept["pairs"] = sorted(pairs, key=_named)
        return kept
    return [_steady(each) for each in value] if isinstance(value, list) else value


_named: Callable[[Any], str] = lambda pair: str(pair.get("file", "")) if isinstance(pair, dict) else ""  # noqa: E731


if __name__ == "__main__":
    sys.exit(main())
