"""What the columns of a table say of people."""

import json

from core.__main__ import main


def test_columns__are_told_from_the_command_line(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("name,age\nAna Novak,30\nMiha Kos,41\nEva Zupan,52\n", encoding="utf-8")
    assert main(["columns", str(tmp_path / "t.csv"), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert [each["column"] for each in document["columns"]] == ["name", "age"]
    assert document["findings"][0]["column"] == "name"
