import unicodedata

from core.tabular.pairing import FilePair, LeftOutFile, Pairing, pair_files
from tests.cases.table import says

TRIPLE = ("a.csv", "a_anonymized.csv", "a_anonymized_log.json")


def pair(stem: str, extension: str = "csv") -> FilePair:
    return FilePair(
        original=f"{stem}.{extension}",
        anonymized=f"{stem}_anonymized.{extension}",
        log=f"{stem}_anonymized_log.json",
    )


def test_pair_files__pairs_by_name_in_the_order_of_the_originals():
    names = [*reversed([name.replace("a", "b", 1) for name in TRIPLE]), *TRIPLE]
    assert pair_files(names) == Pairing(pairs=(pair("b"), pair("a")))


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


def test_pair_files__case_and_composition_do_not_matter():
    decomposed = unicodedata.normalize("NFD", "환자_anonymized.csv")
    names = ["환자.CSV", decomposed, "환자_Anonymized_LOG.json"]
    assert pair_files(names).pairs == (
        FilePair(original="환자.CSV", anonymized=decomposed, log="환자_Anonymized_LOG.json"),
    )


def test_pair_files__one_log_serves_the_same_stem_in_two_formats():
    names = [*TRIPLE, "a.xlsx", "a_anonymized.xlsx"]
    assert pair_files(names).pairs == (pair("a"), pair("a", "xlsx"))


def test_pair_files__an_original_may_itself_be_called_anonymized():
    names = [*TRIPLE, "a_anonymized_anonymized.csv", "a_anonymized_anonymized_log.json"]
    assert pair_files(names) == Pairing(pairs=(pair("a"), pair("a_anonymized")))
    missing = "_anonymized_anonymized.csv…_anonymized_anonymized_log.json"
    assert told(pair_files(["_anonymized.csv"]).skipped, {"_anonymized.csv": missing})


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


def test_pair_files__never_guesses_between_files_of_one_name():
    for name in ("a.csv", "a_anonymized.csv"):
        assert told(pair_files([*TRIPLE, name]).skipped, {"a.csv": f"Several files are called {name}"})


def test_pair_files__prefers_partners_of_the_same_folder():
    names = [f"{folder}/{name}" for folder in ("one", "two") for name in TRIPLE]
    assert [found.log for found in pair_files(names).pairs] == [names[2], names[5]]
    across = pair_files(["in/a.csv", "out/a_anonymized.csv", "out\\a_anonymized_log.json"])
    assert len(across.pairs) == 1
    unclear = pair_files(["a.csv", "one/a_anonymized.csv", "two/a_anonymized.csv", "a_anonymized_log.json"])
    assert told(unclear.skipped, {"a.csv": "Several files are called a_anonymized.csv"})


def test_pair_files__only_the_asked_originals():
    found = pair_files([*TRIPLE, "b.csv", "c.pdf"], originals=["a.csv", "c.pdf"])
    assert found.pairs == (pair("a"),)
    assert told(found.skipped, {"c.pdf": "neither a table"})
    assert told(found.unused, {"b.csv": "not asked for"})
