"""Logs of anonymization, and which files belong together."""

import json
import unicodedata

import pytest

from core.errors import AuditInputError
from core.tabular import LogEntry, read_log
from core.tabular.pairing import FilePair, LeftOutFile, Pairing, pair_files
from core.verdict import Verdict
from tests.cases.table import holds_for_each, says


def log_bytes(entries, **meta) -> bytes:
    return json.dumps({"_meta": meta, "log_info": entries} if meta else {"log_info": entries}).encode()


def test_read_log__reads_every_field_and_says_low_without_meta(tmp_path) -> None:
    data = log_bytes(
        {
            "SSN": {"semantic": "ssn", "action": "drop"},
            "a_1": {"semantic": "age", "action": "keep", "source": "a"},
        },
        mode="high",
        allow_dx=True,
        created_at="2026-01-01",
        source_file="x.csv",
        output_file="x_anonymized.csv",
    )
    log = read_log(data, name="x_anonymized_log.json")
    assert (log.mode, log.allow_dx, log.created_at) == ("high", True, "2026-01-01")
    assert (log.source_file, log.output_file, log.n_bytes) == ("x.csv", "x_anonymized.csv", len(data))
    assert list(log.entries) == ["SSN", "a_1"]
    assert log.entries["a_1"] == LogEntry(column="a_1", semantic="age", action="keep", source="a")
    assert log.notes == ()
    assert log.texts == ("a",)
    assert len(log.sha256) == 64
    path = tmp_path / "x_anonymized_log.json"
    path.write_text('{"log_info": {}}', "utf-8-sig")
    log = read_log(path)
    assert (log.name, log.mode, log.allow_dx, log.notes) == ("x_anonymized_log.json", "low", False, ())
    assert read_log(log_bytes({}, mode=" HIGH "), name="l.json").mode == "high"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp949"])
def test_read_log__reads_korean_in_usual_encodings(encoding):
    text = '{"log_info": {"이름": {"semantic": "name", "action": "drop"}}}'
    assert list(read_log(text.encode(encoding), name="l.json").entries) == ["이름"]


WRONG = [
    (b'{"log_info":\n {,}}', "not valid JSON (line 2, character 3)"),
    (b"", "not valid JSON (line 1, character 1)"),
    (b"\xff\xfe\x00\x80\xff", "not readable as JSON text"),
    (b"[" * 200_000, "not readable as JSON text"),
    (b"[]", "not a JSON object"),
    (b"{}", "no object `log_info`"),
    (b'{"log_info": []}', "no object `log_info`"),
    (b'{"_meta": {"mode": "medium"}, "log_info": {}}', "`_meta.mode` is neither `low` nor `high`"),
    (b'{"_meta": {"mode": 1}, "log_info": {}}', "`_meta.mode` is neither `low` nor `high`"),
]


@pytest.mark.slow
def test_read_log__says_what_is_wrong() -> None:
    def holds(data, pieces):
        with pytest.raises(AuditInputError) as error:
            read_log(data, name="l.json")
        (problem,) = error.value.problems
        assert says(problem, "l.json: …" + pieces)

    holds_for_each(WRONG, holds)
    pairs = ", ".join(f'"{i}": 1, "{i}": 2' for i in range(40_000))
    log = read_log(f'{{"_meta": {{{pairs}}}, "log_info": {{}}}}'.encode(), name="l.json")
    assert len(log.notes) == 40_000


ODD_ENTRIES = [
    ({"semantic": "age", "action": "bless"}, "log_action_unknown", "`bless`"),
    ({"action": "keep"}, "log_semantic_missing", "no `semantic`"),
    ({"semantic": "age", "action": " "}, "log_action_missing", "no `action`"),
    ({"semantic": 5, "action": "keep"}, "log_value_not_text", "`semantic`…high-risk"),
    ({"semantic": "age", "action": "keep", "source": ["a"]}, "log_value_not_text", "`source`…ignored"),
    ("drop", "log_entry_unusable", "not an object"),
]


def test_read_log__notes_what_is_odd_in_the_log_or_an_entry() -> None:
    def holds(entry, check, pieces):
        log = read_log(log_bytes({"c": entry}), name="l.json")
        (note,) = log.notes
        assert (note.check, note.verdict, note.column) == (check, Verdict.WARN, "c")
        assert says(note.message, "l.json: …column `c`…" + pieces)
        assert "c" in log.entries

    holds_for_each(ODD_ENTRIES, holds)
    log = read_log(log_bytes({"c": {"semantic": "age", "action": "x" * 41}}), name="l.json")
    assert f"`{'x' * 40}…`" in log.notes[0].message

    def holds(data, pieces):
        log = read_log(data, name="l.json")
        (note,) = log.notes
        assert says(note.message, "l.json: …" + pieces)
        assert (log.mode, log.allow_dx, log.source_file) == ("low", False, None)

    holds_for_each(ODD_LOGS, holds)


ODD_LOGS = [
    (b'{"_meta": [], "log_info": {}}', "`_meta` is not an object"),
    (b'{"_meta": {"allow_dx": "true"}, "log_info": {}}', "`_meta.allow_dx` is neither `true` nor `false`"),
    (b'{"_meta": {"source_file": 7}, "log_info": {}}', "`_meta.source_file` is not a text"),
    (b'{"log_info": {"a": {}, "a": {"semantic": "x", "action": "keep"}}}', "`a` appears more than once"),
]


@pytest.mark.parametrize("mode", ["high", "HIGH ", "Ｈｉｇｈ"])
def test_read_log__folds_its_words_and_keys(mode):
    entry = {"Semantic": "ZipCode", "ACTION": "Mask-Zip Leading"}
    data = json.dumps({"_META": {"Mode": mode, "Allow_DX": True}, "Log_Info": {"Zip": entry}})
    log = read_log(data.encode(), name="l.json")
    assert (log.mode, log.allow_dx, log.notes) == ("high", True, ())
    assert log.entries["Zip"] == LogEntry(column="Zip", semantic="zipcode", action="mask_zip_leading")


def test_for_columns__spells_entries_as_the_tables_do_but_for_those_that_could_mean_several() -> None:
    entries = {
        "NAME": {"semantic": "name", "action": "drop"},
        "Part": {"semantic": "other", "action": "keep"},
    }
    entries["Part"]["source"] = "Full name"
    log = read_log(json.dumps({"log_info": entries}).encode(), name="l.json")
    known = log.for_columns(["name", "full_name"], ["Name", "Part", "Full_Name"])
    assert list(known.entries) == ["name", "Part"]
    assert known.entries["Part"].source == "full_name"
    entry = {"semantic": "other", "action": "keep"}
    log = read_log(
        json.dumps({"log_info": {"ID": entry, "a b": entry, "A-B": entry}}).encode(), name="l.json"
    )
    assert list(log.for_columns(["id", "Id", "a_b"], []).entries) == ["ID", "a b", "A-B"]


def test_notes_about__warns_of_a_log_for_another_file():
    log = read_log(
        log_bytes({}, source_file="C:\\data\\Y.csv", output_file="out/x_anonymized.csv"), name="l.json"
    )
    found = log.notes_about(original_name="x.csv", anonymized_name="x_anonymized.csv")
    assert [(note.check, note.verdict) for note in found] == [("log_for_another_file", Verdict.WARN)]
    assert says(found[0].message, "l.json: `_meta.source_file`…x.csv")
    assert log.notes_about(original_name="y.CSV", anonymized_name="X_anonymized.csv") == ()


TRIPLE = ("a.csv", "a_anonymized.csv", "a_anonymized_log.json")


def pair(stem: str, extension: str = "csv") -> FilePair:
    return FilePair(
        original=f"{stem}.{extension}",
        anonymized=f"{stem}_anonymized.{extension}",
        log=f"{stem}_anonymized_log.json",
    )


def test_pair_files__pairs_by_name_whatever_case_and_composition() -> None:
    names = [*reversed([name.replace("a", "b", 1) for name in TRIPLE]), *TRIPLE]
    assert pair_files(names) == Pairing(pairs=(pair("b"), pair("a")))
    decomposed = unicodedata.normalize("NFD", "환자_anonymized.csv")
    names = ["환자.CSV", decomposed, "환자_Anonymized_LOG.json"]
    assert pair_files(names).pairs == (
        FilePair(original="환자.CSV", anonymized=decomposed, log="환자_Anonymized_LOG.json"),
    )
    names = [*TRIPLE, "a.xlsx", "a_anonymized.xlsx"]
    assert pair_files(names).pairs == (pair("a"), pair("a", "xlsx"))
    names = [*TRIPLE, "a_anonymized_anonymized.csv", "a_anonymized_anonymized_log.json"]
    assert pair_files(names) == Pairing(pairs=(pair("a"), pair("a_anonymized")))
    missing = "_anonymized_anonymized.csv…_anonymized_anonymized_log.json"
    assert told(pair_files(["_anonymized.csv"]).skipped, {"_anonymized.csv": missing})


def test_pair_files__says_what_is_missing():
    for names, missing in (
        (["a.csv"], "a_anonymized.csv…a_anonymized_log.json"),
        (TRIPLE[:2], "a_anonymized_log.json"),
        (TRIPLE[::2], "a_anonymized.csv"),
        (
            ["a.csv", "a_anonymized.xlsx", TRIPLE[2]],
            "a_anonymized.csv…a_anonymized.xlsx has another extension",
        ),
    ):
        found = pair_files(names)
        assert found.pairs == ()
        assert told(found.skipped, {"a.csv": missing})
    for number in (1, 2):
        assert told(pair_files(["a.csv", TRIPLE[number]]).unused, {TRIPLE[number]: "a.csv is not verified"})


def told(files: tuple[LeftOutFile, ...], pieces: dict[str, str]) -> bool:
    """Whether these files are left out, for reasons that hold these pieces."""
    return [one.name for one in files] == [*pieces] and all(
        says(one.reason, pieces[one.name]) for one in files
    )


def test_pair_files__says_why_a_file_is_not_used():
    found = pair_files(["x_anonymized.csv", "y_anonymized_log.json", "log.json", "scan.pdf", "README"])
    assert (found.pairs, found.skipped) == ((), ())
    reasons = {
        "x_anonymized.csv": "x.csv",
        "y_anonymized_log.json": "No original called y ",
        "log.json": "_anonymized_log.json",
        "scan.pdf": "neither a table",
        "README": "neither a table",
    }
    assert told(found.unused, reasons)


def test_pair_files__never_guesses_and_prefers_the_same_folder() -> None:
    for name in ("a.csv", "a_anonymized.csv"):
        assert told(pair_files([*TRIPLE, name]).skipped, {"a.csv": f"Several files are called {name}"})
    names = [f"{folder}/{name}" for folder in ("one", "two") for name in TRIPLE]
    assert [found.log for found in pair_files(names).pairs] == [names[2], names[5]]
    across = pair_files(["in/a.csv", "out/a_anonymized.csv", "out\\a_anonymized_log.json"])
    assert len(across.pairs) == 1
    unclear = pair_files(["a.csv", "one/a_anonymized.csv", "two/a_anonymized.csv", "a_anonymized_log.json"])
    assert told(unclear.skipped, {"a.csv": "Several files are called a_anonymized.csv"})
    found = pair_files([*TRIPLE, "b.csv", "c.pdf"], originals=["a.csv", "c.pdf"])
    assert found.pairs == (pair("a"),)
    assert told(found.skipped, {"c.pdf": "neither a table"})
    assert told(found.unused, {"b.csv": "not asked for"})
