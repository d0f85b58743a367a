import unicodedata

from core.tabular.pairing import FilePair, LeftOutFile, Pairing, pair_files

TRIPLE = ("a.csv", "a_anonymized.csv", "a_anonymized_log.json")


def pair(stem: str, extension: str = "csv") -> FilePair:
    return FilePair(
        original=f"{stem}.{extension}",
        anonymized=f"{stem}_anonymized.{extension}",
        log=f"{stem}_anonymized_log.json",
    )


def left_out(name: str, reason: str) -> tuple[LeftOutFile, ...]:
    return (LeftOutFile(name=name, reason=reason),)


def test_pair_files__pairs_by_name_in_the_order_of_the_originals():
    names = [*reversed([name.replace("a", "b", 1) for name in TRIPLE]), *TRIPLE]
    assert pair_files(names) == Pairing(pairs=(pair("b"), pair("a")))


def test_pair_files__says_what_is_missing():
    assert pair_files(["a.csv"]).skipped == left_out(
        "a.csv", "a_anonymized.csv is missing. a_anonymized_log.json is missing."
    )
    assert pair_files(TRIPLE[:2]).skipped == left_out("a.csv", "a_anonymized_log.json is missing.")
    assert pair_files(TRIPLE[::2]).skipped == left_out("a.csv", "a_anonymized.csv is missing.")
    assert pair_files(TRIPLE[::2]).unused == left_out(
        "a_anonymized_log.json", "Its original a.csv is not verified; see there why."
    )
    assert pair_files(TRIPLE[:2]).unused == left_out(
        "a_anonymized.csv", "Its original a.csv is not verified; see there why."
    )


def test_pair_files__the_two_tables_need_the_same_extension():
    found = pair_files(["a.csv", "a_anonymized.xlsx", "a_anonymized_log.json"])
    assert found.pairs == ()
    assert found.skipped == left_out(
        "a.csv", "a_anonymized.csv is missing; a_anonymized.xlsx has another extension."
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
    assert pair_files(["_anonymized.csv"]).skipped == left_out(
        "_anonymized.csv",
        "_anonymized_anonymized.csv is missing. _anonymized_anonymized_log.json is missing.",
    )


def test_pair_files__says_why_a_file_is_not_used():
    found = pair_files(["x_anonymized.csv", "y_anonymized_log.json", "log.json", "scan.pdf", "README"])
    assert (found.pairs, found.skipped) == ((), ())
    assert {file.name: file.reason for file in found.unused} == {
        "x_anonymized.csv": "No original called x.csv was given for this anonymized table.",
        "y_anonymized_log.json": "No original called y was given for this log.",
        "log.json": "A log is called like its original with _anonymized_log.json at the end; this "
        "name does not "
        "end so.",
        "scan.pdf": "scan.pdf is neither a table (.csv, .tsv, .txt, .xlsx, .xls, .parquet) nor a log.",
        "README": "README is neither a table (.csv, .tsv, .txt, .xlsx, .xls, .parquet) nor a log.",
    }


def test_pair_files__never_guesses_between_files_of_one_name():
    assert pair_files([*TRIPLE, "a.csv"]).skipped == left_out(
        "a.csv", "Several files are called a.csv; rename them or leave all but one out."
    )
    assert pair_files([*TRIPLE, "a_anonymized.csv"]).skipped == left_out(
        "a.csv", "Several files are called a_anonymized.csv; leave all but one out."
    )


def test_pair_files__prefers_partners_of_the_same_folder():
    names = [f"{folder}/{name}" for folder in ("one", "two") for name in TRIPLE]
    assert [found.log for found in pair_files(names).pairs] == [names[2], names[5]]
    across = pair_files(["in/a.csv", "out/a_anonymized.csv", "out\\a_anonymized_log.json"])
    assert len(across.pairs) == 1
    unclear = pair_files(["a.csv", "one/a_anonymized.csv", "two/a_anonymized.csv", "a_anonymized_log.json"])
    assert unclear.skipped == left_out(
        "a.csv", "Several files are called a_anonymized.csv; leave all but one out."
    )


def test_pair_files__only_the_asked_originals():
    found = pair_files([*TRIPLE, "b.csv", "c.pdf"], originals=["a.csv", "c.pdf"])
    assert found.pairs == (pair("a"),)
    assert found.skipped == left_out(
        "c.pdf", "c.pdf is neither a table (.csv, .tsv, .txt, .xlsx, .xls, .parquet) nor a log."
    )
    assert found.unused == left_out("b.csv", "It was not asked for, and is no partner of a file that was.")
