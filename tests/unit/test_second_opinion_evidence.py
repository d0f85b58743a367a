from core.reports.evidence import small_class_records
from core.reports.model import said_table
from core.tabular.views.evidence import relinked_records, unchanged_records
from tests.second_opinion_examples import dataset


def test_records__of_what_is_unchanged_relinked_or_in_small_classes() -> None:
    original = dataset({"a": ["1", "2", "3", None]})
    anonymized = dataset({"a": ["1.0", "x", "3", None]})
    frame = said_table(unchanged_records(original, anonymized, column="a"))
    assert frame.to_dict("list") == {
        "Record": [1, 3],
        "a (original)": ["1", "3"],
        "a (anonymized)": ["1.0", "3"],
    }
    original = dataset({"a": ["1", "2"]})
    found = unchanged_records(original, dataset({"a_b": ["9", "2"]}), column="a", anonymized_column="a_b")
    assert found["record"].tolist() == [2]
    assert unchanged_records(original, dataset({"a": ["1"]}), column="a").empty
    original, anonymized = dataset({"Name": ["a", "b"]}), dataset({"NAME": ["a", "c"]})
    frame = said_table(unchanged_records(original, anonymized, column="NAME"))
    assert frame["NAME (original)"].tolist() == ["a"]
    frame = relinked_records(original, anonymized, columns=["NAME"])
    assert frame["original_record"].tolist() == [1]
    original = dataset({"a": ["1", "1", "2", None], "b": ["x", "y", "x", None]})
    anonymized = dataset({"a": ["2.0", "1", None, "7"], "b": ["x", "y", None, "x"]})
    frame = said_table(relinked_records(original, anonymized, columns=["a", "b"]))
    assert frame.to_dict("list") == {
        "Record": [1, 2],
        "Original record": [3, 2],
        "a": ["2.0", "1"],
        "b": ["x", "y"],
    }
    anonymized = dataset({"sex": ["F", "F", "M", None, "F"], "age": ["1", "1", "2", None, "1"]})
    frame = small_class_records(anonymized, quasi_identifiers=["sex", "age"], k=5, reveal=True)
    assert frame["record"].tolist() == [3, 1, 2, 5]
    assert frame["class_size"].tolist() == [1, 3, 3, 3]
    frame = small_class_records(anonymized, quasi_identifiers=["sex"], k=2, reveal=True)
    assert frame["record"].tolist() == [3]


OURS = ["Record", "Original record", "Class size", "Found", "Size in records", "Record (column)"]


def test_evidence__never_takes_a_column_for_a_fact_by_its_heading() -> None:
    columns = {name: [f"{name} {i}" for i in range(3)] for name in OURS}
    table = dataset(columns)
    for found in (
        relinked_records(table, table, columns=OURS, reveal=False),
        small_class_records(table, quasi_identifiers=OURS, k=5, reveal=False),
    ):
        frame = said_table(found)
        assert frame.columns.is_unique
        assert frame["Record"].tolist() == [1, 2, 3]
        assert not any(str(value).endswith((" 0", " 1", " 2")) for value in frame.to_numpy().ravel())
    shown = said_table(relinked_records(table, table, columns=OURS))
    assert shown.iloc[0].tolist() == [1, 1, *(f"{name} 0" for name in OURS)]
    table = dataset({"Found": ["Ana", "Rok"]})
    frame = said_table(unchanged_records(table, table, column="Found", reveal=False))
    assert frame["Found (original)"].tolist() == ["AAA", "AAA"]
