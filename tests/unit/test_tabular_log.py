import json

import pytest

from core.errors import AuditInputError
from core.tabular import LogEntry, read_log
from core.verdict import Verdict

REMEDY = "Choose the log written with the anonymized file."


def log_bytes(entries, **meta) -> bytes:
    return json.dumps({"_meta": meta, "log_info": entries} if meta else {"log_info": entries}).encode()


def messages(log) -> list[str]:
    return [note.message for note in log.notes]


def test_read_log__reads_every_field():
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
    assert len(log.sha256) == 64


def test_read_log__absent_meta_means_low_and_not_permitted(tmp_path):
    path = tmp_path / "x_anonymized_log.json"
    path.write_text('{"log_info": {}}', "utf-8-sig")
    log = read_log(path)
    assert (log.name, log.mode, log.allow_dx, log.notes) == ("x_anonymized_log.json", "low", False, ())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp949"])
def test_read_log__reads_korean_in_usual_encodings(encoding):
    text = '{"log_info": {"이름": {"semantic": "name", "action": "drop"}}}'
    assert list(read_log(text.encode(encoding), name="l.json").entries) == ["이름"]


def test_read_log__mode_in_capitals_is_understood():
    assert read_log(log_bytes({}, mode=" HIGH "), name="l.json").mode == "high"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b'{"log_info":\n {,}}', "l.json: the log is not valid JSON (line 2, character 3). " + REMEDY),
        (b"", "l.json: the log is not valid JSON (line 1, character 1). " + REMEDY),
        (b"\xff\xfe\x00\x80\xff", "l.json: the log is not readable as JSON text. " + REMEDY),
        (b"[" * 200_000, "l.json: the log is not readable as JSON text. " + REMEDY),
        (b"[]", "l.json: the log is not a JSON object. " + REMEDY),
        (b"{}", "l.json: the log has no object `log_info` with an entry per column. " + REMEDY),
        (b'{"log_info": []}', "l.json: the log has no object `log_info` with an entry per column. " + REMEDY),
        (
            b'{"_meta": {"mode": "medium"}, "log_info": {}}',
            "l.json: `_meta.mode` is neither `low` nor `high`. Correct the mode in the log.",
        ),
        (
            b'{"_meta": {"mode": 1}, "log_info": {}}',
            "l.json: `_meta.mode` is neither `low` nor `high`. Correct the mode in the log.",
        ),
    ],
)
def test_read_log__says_what_is_wrong(data, problem):
    with pytest.raises(AuditInputError) as error:
        read_log(data, name="l.json")
    assert error.value.problems == (problem,)


@pytest.mark.parametrize(
    ("entry", "check", "message"),
    [
        (
            {"semantic": "age", "action": "bless"},
            "log_action_unknown",
            (
                "l.json: column `c` has the unknown action `bless`, so it was only checked for "
                "sensitive patterns. Correct the action or check the column by eye."
            ),
        ),
        (
            {"action": "keep"},
            "log_semantic_missing",
            (
                "l.json: column `c` has no `semantic`, so the column counts neither as high-risk nor as a "
                "quasi-identifier. Complete the entry."
            ),
        ),
        (
            {"semantic": "age", "action": " "},
            "log_action_missing",
            (
                "l.json: column `c` has no `action`, so the column was only checked for sensitive patterns. "
                "Complete the entry."
            ),
        ),
        (
            {"semantic": 5, "action": "keep"},
            "log_value_not_text",
            (
                "l.json: column `c` has a value that is no text as `semantic`, so the column counts "
                "neither as "
                "high-risk nor as a quasi-identifier. Complete the entry."
            ),
        ),
        (
            {"semantic": "age", "action": "keep", "source": ["a"]},
            "log_value_not_text",
            (
                "l.json: column `c` has a value that is no text as `source`, so it was ignored. Complete "
                "the entry."
            ),
        ),
        (
            "drop",
            "log_entry_unusable",
            (
                "l.json: the entry of column `c` is not an object, so the column was "
                "only checked for sensitive patterns. Correct the entry."
            ),
        ),
    ],
)
def test_read_log__notes_what_is_odd_in_an_entry(entry, check, message):
    log = read_log(log_bytes({"c": entry}), name="l.json")
    assert messages(log) == [message]
    assert (log.notes[0].check, log.notes[0].verdict, log.notes[0].column) == (check, Verdict.WARN, "c")
    assert "c" in log.entries


def test_read_log__long_names_are_shortened_in_messages():
    log = read_log(log_bytes({"c": {"semantic": "age", "action": "x" * 41}}), name="l.json")
    assert f"`{'x' * 40}…`" in log.notes[0].message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b'{"_meta": [], "log_info": {}}',
            (
                "l.json: `_meta` is not an object, so low mode without permission to keep diagnoses "
                "was assumed. "
                "Correct the log if that is wrong."
            ),
        ),
        (
            b'{"_meta": {"allow_dx": "true"}, "log_info": {}}',
            (
                "l.json: `_meta.allow_dx` is neither `true` nor `false`, so keeping diagnoses counts as not "
                "permitted. Correct the log if that is wrong."
            ),
        ),
        (
            b'{"_meta": {"source_file": 7}, "log_info": {}}',
            "l.json: `_meta.source_file` is not a text and was ignored. Correct the log.",
        ),
        (
            b'{"log_info": {"a": {}, "a": {"semantic": "x", "action": "keep"}}}',
            (
                "l.json: the key `a` appears more than once in the same object and the last one was "
                "used. Keep the "
                "right one."
            ),
        ),
    ],
)
def test_read_log__notes_what_is_odd_in_the_log(data, message):
    log = read_log(data, name="l.json")
    assert messages(log) == [message]
    assert (log.mode, log.allow_dx, log.source_file) == ("low", False, None)


@pytest.mark.parametrize("mode", ["high", "HIGH ", "Ｈｉｇｈ"])
def test_read_log__folds_its_words_and_keys(mode):
    entry = {"Semantic": "ZipCode", "ACTION": "Mask-Zip Leading"}
    data = json.dumps({"_META": {"Mode": mode, "Allow_DX": True}, "Log_Info": {"Zip": entry}})
    log = read_log(data.encode(), name="l.json")
    assert (log.mode, log.allow_dx, log.notes) == ("high", True, ())
    assert log.entries["Zip"] == LogEntry(column="Zip", semantic="zipcode", action="mask_zip_leading")


def test_for_columns__spells_entries_and_sources_as_the_tables_do():
    entries = {
        "NAME": {"semantic": "name", "action": "drop"},
        "Part": {"semantic": "other", "action": "keep"},
    }
    entries["Part"]["source"] = "Full name"
    log = read_log(json.dumps({"log_info": entries}).encode(), name="l.json")
    known = log.for_columns(["name", "full_name"], ["Name", "Part", "Full_Name"])
    assert list(known.entries) == ["name", "Part"]
    assert known.entries["Part"].source == "full_name"


def test_for_columns__leaves_entries_that_could_mean_several_columns():
    entry = {"semantic": "other", "action": "keep"}
    log = read_log(
        json.dumps({"log_info": {"ID": entry, "a b": entry, "A-B": entry}}).encode(), name="l.json"
    )
    assert list(log.for_columns(["id", "Id", "a_b"], []).entries) == ["ID", "a b", "A-B"]


def test_read_log__takes_very_many_repeated_keys():
    pairs = ", ".join(f'"{i}": 1, "{i}": 2' for i in range(40_000))
    log = read_log(f'{{"_meta": {{{pairs}}}, "log_info": {{}}}}'.encode(), name="l.json")
    assert len(log.notes) == 40_000


def test_notes_about__warns_of_a_log_for_another_file():
    log = read_log(
        log_bytes({}, source_file="C:\\data\\Y.csv", output_file="out/x_anonymized.csv"), name="l.json"
    )
    found = log.notes_about(original_name="x.csv", anonymized_name="x_anonymized.csv")
    assert [(note.check, note.verdict, note.message) for note in found] == [
        (
            "log_for_another_file",
            Verdict.WARN,
            f"l.json: `_meta.source_file` names another file than the original file x.csv. {REMEDY}",
        )
    ]
    assert log.notes_about(original_name="y.CSV", anonymized_name="X_anonymized.csv") == ()
