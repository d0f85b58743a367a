from pathlib import Path

import pytest

from core.__main__ import main
from core.demo.tabular import DEMOS
from core.errors import AuditInputError
from core.settings_files import LARGEST_FILE, known_settings, read_settings, settings_of, settings_toml

PEOPLE = "age,sex,disease\n" + "".join(f"{30 + n % 3},F,d{n % 2}\n" for n in range(12))


def problems(content: str | bytes, *, tool: str = "risk") -> list[str]:
    data = content if isinstance(content, bytes) else content.encode()
    with pytest.raises(AuditInputError) as caught:
        read_settings(data, name="s.toml", tool=tool)
    return list(caught.value.problems)


def test_read_settings__says_all_problems_at_once() -> None:
    content = """
tool = "risk"
colour = "red"
[settings]
quasi_identifier = ["age"]
k = 0
t = 7
missing = "no"
person = 4
what_if = 1
sensitive = "x"
n_largest = "none"
"""
    assert problems(content) == [
        "s.toml: there is no key colour; the nearest is tool.",
        "s.toml: there is no key quasi_identifier; the nearest is quasi_identifiers.",
        "s.toml: k must be at least 1, received 0.",
        "s.toml: t must be from 0 to 1, received 7.",
        "s.toml: missing must be one of value, wildcard, drop, received no.",
        "s.toml: person must be a text in quotation marks.",
        "s.toml: what_if must be true or false.",
        "s.toml: sensitive must be a list of texts.",
        "s.toml: n_largest must be a whole number at least 1, received none.",
    ]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\xff\xfe", "s.toml is no TOML: it is not written in UTF-8."),
        ("k = = 2", "s.toml is no TOML: look at line 1."),
        ("a = " + "[" * 5000, "s.toml is no TOML that can be read: it is nested too deeply."),
        (".".join(["a"] * 50_000) + " = 1", "s.toml is no TOML that can be read: it is nested too deeply."),
        (b" " * (LARGEST_FILE + 1), "s.toml is too large to be a file of settings."),
        ('tool = "leakage"', "s.toml holds settings of leakage, not of risk."),
        ("settings = 3", "s.toml: settings must be a table of settings."),
        ('[files."a.csv"]\nk = 3', "s.toml: there is no key files; the nearest is version."),
    ],
)
def test_read_settings__refuses_what_is_none(content: str | bytes, problem: str) -> None:
    assert problems(content) == [problem]


@pytest.mark.parametrize(
    ("tool", "content", "problem"),
    [
        ("vcf", "min_motif = 9\nmax_motif = 3", "min_motif must be at most max_motif, received 9 and 3."),
        ("diversity", 'one_hot_groups = ["a"]', "one_hot_groups must be a list of lists of texts."),
        ("events", 'mapping = ["a"]', "mapping must be a table of texts."),
        ("leakage", "ignore_columns = [true]", "ignore_columns must be a list of texts."),
    ],
)
def test_read_settings__names_what_a_value_must_be(tool: str, content: str, problem: str) -> None:
    assert problems(f"[settings]\n{content}", tool=tool) == [f"s.toml: {problem}"]


def test_read_settings__of_another_version_say_what_is_not_known() -> None:
    content = b'version = "0.0.9"\nshade = 1\n[settings]\nquasi = ["age"]\nk = 3'
    opened = read_settings(content, name="s.toml", tool="risk")
    assert opened.settings.values == {"k": 3}
    assert opened.notes == (
        "s.toml: AnonAudit 0.0.9 wrote shade, which this version does not know; it is left out.",
        "s.toml: AnonAudit 0.0.9 wrote quasi, which this version does not know; it is left out.",
    )
    assert problems('version = "0.0.9"\n[settings]\nquasi = 1\nk = 0') == [
        "s.toml: k must be at least 1, received 0."
    ]


def test_settings_of__several_lines_differ_by_file() -> None:
    first = "python -m core tabular 'a b.csv' c.csv --k 3 --pattern email"
    made = settings_of(f"{first}\npython -m core tabular d.csv --k 5 --pattern email")
    assert made.values["patterns"] == ["email"]
    assert made.by_file == {
        "a b.csv": {"smallest_k": 3},
        "c.csv": {"smallest_k": 3},
        "d.csv": {"smallest_k": 5},
    }
    assert read_settings(settings_toml(made), name="", tool="tabular").settings == made


def test_settings_of__files_paired_by_hand_have_their_own() -> None:
    first = "python -m core tabular --k 3 --pair a.csv x.csv a.json --not-verified e.csv 'No log.'"
    made = settings_of(f"{first}\npython -m core tabular d.csv --k 5 --pair b.csv y.csv b.json")
    assert made.by_file == {
        "a.csv": {"smallest_k": 3},
        "d.csv": {"smallest_k": 5},
        "b.csv": {"smallest_k": 5},
    }


@pytest.mark.parametrize(
    ("tool", "words"),
    [
        ("tabular", "--pair a.csv x.csv a.json --not-verified e.csv 'No log.'"),
        ("vcf", "-o a -a b --pair a/x.vcf b/y.vcf low --not-paired z.vcf --donors-of y.vcf"),
        ("diversity", "t.csv --pair 3 2"),
    ],
)
def test_settings_of__leaves_out_what_is_of_one_run(tool: str, words: str) -> None:
    assert settings_of(f"python -m core {tool} {words}") == settings_of(
        f"python -m core {tool} {'-o a -a b' if tool == 'vcf' else 't.csv'}"
    )
    assert not {"pair", "not_verified", "not_paired", "donors_of"} & known_settings(tool).keys()


def test_settings_of__leaves_the_seed_of_pseudonyms_out() -> None:
    made = settings_of("python -m core events log.csv --pseudonym-seed 7", further={"mapping": {"A": "b"}})
    assert "pseudonym_seed" not in made.values
    assert made.values["mapping"] == {"A": "b"}
    assert known_settings("events")["pseudonym_seed"].secret


def test_settings_of__name_a_model_of_ones_own_as_a_file() -> None:
    assert settings_of("python -m core diversity t.csv --model my.skops").values["source"] == "file"


def test_settings_of__refuse_what_is_no_command_of_ours() -> None:
    with pytest.raises(AuditInputError, match="unrecognized arguments: --nothing"):
        settings_of("python -m core risk t.csv --nothing")


def test_command__takes_settings_from_a_file_and_options_before_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, file = tmp_path / "t.csv", tmp_path / "s.toml"
    table.write_text(PEOPLE)
    file.write_text('[settings]\nquasi_identifiers = ["age"]\nk = 9\nl = "none"\nsensitive = ["disease"]')
    assert main(["risk", str(table), "--settings", str(file), "--k", "3", "--json"]) == 0
    printed = capsys.readouterr().out
    assert '"k": 3' in printed
    assert '"l": null' in printed
    assert main(["risk", "--settings", str(file), str(table)]) == 1


def test_command__says_what_is_wrong_with_a_settings_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "s.toml"
    assert main(["leakage", "a.csv", "b.csv", "--settings", str(file)]) == 2
    assert "s.toml cannot be read: No such file or directory." in capsys.readouterr().err
    file.write_text('version = "0.0.1"\n[settings]\nold = 1\n')
    assert main(["leakage", "a.csv", "b.csv", "--settings", str(file)]) == 2
    told = capsys.readouterr().err
    assert "warning: s.toml: AnonAudit 0.0.1 wrote old" in told


def test_command__asks_otherwise_of_single_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for files in DEMOS[0].make().values():
        for each in files:
            (tmp_path / each.name).write_bytes(each.data)
    file = tmp_path / "s.toml"
    file.write_text('[settings]\nsmallest_k = 4\n[files."visits.csv"]\nsmallest_k = 2\n')
    originals = [str(tmp_path / name) for name in ("visits.csv", "survey.csv")]
    main(["tabular", *originals, "--settings", str(file), "--json"])
    printed = capsys.readouterr().out
    assert printed.count('"smallest_k": 4') == 1
    assert printed.count('"smallest_k": 2') == 1


def test_command__leaves_out_what_a_typed_option_excludes(tmp_path: Path) -> None:
    table, file = tmp_path / "t.csv", tmp_path / "s.toml"
    table.write_text(PEOPLE)
    file.write_text('[settings]\nquasi_identifiers = ["age"]\npopulation_size = 2\nk = 2')
    assert main(["risk", str(table), "--settings", str(file)]) == 2
    assert main(["risk", str(table), "--settings", str(file), "--population", str(table)]) in (0, 1)


def test_settings_of__a_command_with_a_policy_leave_it_to_the_file() -> None:
    command = "python -m core risk t.csv --quasi-identifier age --k 11 --policy cms-cell-11"
    settings = settings_of(command)
    assert settings.values["k"] == 11
    assert "policy" not in settings.values
