"""What no command may stumble over: names that steer a terminal, cells that are too long, odd logs."""

import json
import time

import pytest

from core.__main__ import main
from core.tabular import read_log

ESCAPE = "\x1b[31mred\x1b[0m"
NAMES = (f"name{ESCAPE}", "line\nbreak", "back\u202ewards", "plain")
PERSON = "Novak-9876"


def csv_of(names, rows) -> bytes:
    quoted = [",".join(f'"{cell}"' for cell in row) for row in (names, *rows)]
    return ("\n".join(quoted) + "\n").encode()


def write(folder, names, rows, log=None):
    (folder / "x.csv").write_bytes(csv_of(names, rows))
    (folder / "x_anonymized.csv").write_bytes(csv_of(names, rows))
    entries = {name: {"semantic": name, "action": name} for name in names} if log is None else log
    (folder / "x_anonymized_log.json").write_text(json.dumps({"log_info": entries}), encoding="ascii")
    return str(folder / "x.csv"), str(folder / "x_anonymized.csv")


def commands(original, anonymized):
    return {
        "tabular": ["tabular", original],
        "leakage": ["leakage", original, anonymized],
        "risk": ["risk", original, "--quasi-identifier", NAMES[0], NAMES[1]],
        "diversity": [
            "diversity",
            original,
            "--label",
            "plain",
            "--sensitive",
            NAMES[0],
            "--quasi-identifier",
            NAMES[1],
        ],
        "events": [
            "events",
            original,
            "--user-column",
            NAMES[0],
            "--event-column",
            NAMES[1],
            "--time-column",
            NAMES[2],
        ],
        "vcf": ["vcf", original, anonymized],
    }


@pytest.mark.parametrize("tool", ["tabular", "leakage", "risk", "diversity", "events", "vcf"])
def test_commands__never_let_a_name_steer_the_terminal(tool, tmp_path, capsys):
    rows = [(f"{PERSON}{i % 7}", f"b{i}", f"c{i}", str(i % 2)) for i in range(30)]
    try:
        code = main(commands(*write(tmp_path, NAMES, rows))[tool])
    except SystemExit as stop:
        code = int(str(stop.code))
    printed = capsys.readouterr()
    shown = printed.out + printed.err
    assert code in {0, 1, 2}
    assert "Traceback" not in shown
    assert not any(character in shown for character in ("\x1b", "\u202e", "line\nbreak"))


def test_tabular__half_a_character_in_the_log_is_read_as_unreadable_and_stops_nothing(tmp_path, capsys):
    log = {
        "a\ud800": {"semantic": "\udc00", "action": "\ud800"},
        "a": {"semantic": "other", "action": "keep"},
    }
    original, _ = write(tmp_path, ["a"], [["1"], ["2"]], log)
    for arguments in (["tabular", original], ["tabular", original, "--json"]):
        assert main(arguments) in {0, 1}
    printed = capsys.readouterr().out
    assert "a�" in printed
    assert "ud800" not in printed
    assert "\ud800" not in printed


@pytest.mark.parametrize(
    "options",
    [
        ["tabular", "x.csv"],
        ["leakage", "x.csv", "x_anonymized.csv"],
        ["risk", "x.csv", "--quasi-identifier", "id", "b", "--what-if"],
        [
            "diversity",
            "x.csv",
            "--label",
            "c",
            "--sensitive",
            "b",
            "--quasi-identifier",
            "id",
            "--k-max",
            "3",
        ],
        ["events", "x.csv", "--user-column", "id", "--time-column", "b", "--event-column", "c"],
    ],
)
def test_commands__cells_of_five_thousand_digits_are_read_and_never_shown(options, tmp_path, capsys):
    cells = [[f"{i}" + "9" * 5_000, "0." + "3" * 5_000, str(i % 2)] for i in range(1, 40)]
    write(tmp_path, ["id", "b", "c"], cells)
    assert main([str(tmp_path / word) if word.endswith(".csv") else word for word in options]) in {0, 1, 2}
    printed = capsys.readouterr()
    assert "99999999" not in printed.out + printed.err


@pytest.mark.slow
def test_read_log__forty_thousand_repeated_keys_take_no_time():
    keys = ",".join(f'"c{i % 20_000}":{{"semantic":"other","action":"keep"}}' for i in range(40_000))
    started = time.process_time()
    log = read_log(f'{{"log_info":{{{keys}}}}}'.encode(), name="l.json")
    assert time.process_time() - started < 20
    assert len(log.notes) == len(log.entries) == 20_000
