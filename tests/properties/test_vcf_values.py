"""What htslib refuses in a record is refused, and what it reads is read: both on generated records."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.errors import AuditInputError
from core.vcf.frequencies import FrequencyReader
from core.vcf.header import parse_header
from core.vcf.records import Record
from core.vcf.values import ValueChecker
from tests.thorough import tried
from tests.vcf_files import COLUMNS, HEADER, read, site_maf, vcf_text

DECLARED = [
    *HEADER,
    '##FILTER=<ID=q10,Description="x">',
    '##FORMAT=<ID=AD,Number=R,Type=Integer,Description="x">',
    '##FORMAT=<ID=GQ,Number=1,Type=Float,Description="x">',
    '##FORMAT=<ID=PID,Number=1,Type=String,Description="x">',
    '##FORMAT=<ID=CH,Number=1,Type=Character,Description="x">',
    '##FORMAT=<ID=FL,Number=0,Type=Flag,Description="x">',
]
HEAD = ("\n".join([*DECLARED, f"{COLUMNS}\tFORMAT\tS1\tS2"]) + "\n").encode()
CHECKER = ValueChecker(parse_header("x", HEAD))
MANY = tried(400)

_names = st.text("aB1_.,<>=:;\"[('- ", min_size=1, max_size=5)
_values = {
    "GT": st.one_of(st.just("0/1"), st.text("0123/|.-+", max_size=5)),
    "AD": st.one_of(st.just("1,2"), st.text("0129,.-+x", max_size=5)),
    "GQ": st.one_of(st.just("3.5"), st.text("019 ,.-+eExXinfa()", max_size=5)),
}
_words = st.text("ab:,1. ", max_size=4)


@st.composite
def _samples(draw: st.DrawFn) -> tuple[str, str, str]:
    keys = draw(
        st.lists(st.sampled_from(["GT", "AD", "GQ", "PID", "CH", "ZZ", "FL"]), min_size=1, max_size=4)
    )
    cells = []
    for _ in range(2):
        shown = keys[: draw(st.integers(1, len(keys)))]
        fields = [draw(_values.get(key, _words)) for key in shown]
        cells.append(":".join([*fields, *draw(st.lists(st.just("1"), max_size=1))]))
    return ":".join(keys), *cells


def _line(**columns: str) -> bytes:
    given_columns = {
        "CHROM": "chr1", "POS": "100", "ID": ".", "REF": "A", "ALT": "G", "QUAL": "50", "FILTER": ".",
        "INFO": "AF=0.1", "FORMAT": "GT", "S1": "0/1", "S2": "0/0",
    } | columns  # fmt: skip
    return "\t".join(given_columns.values()).encode()


def _htslib_reads(line: bytes) -> bool:
    try:
        return len(read(HEAD + line + b"\n")) == 1
    except (OSError, ValueError):
        return False


def _problem(line: bytes) -> str:
    record = Record(line, 11)
    try:
        CHECKER.check("x", [1], [record])
    except AuditInputError as error:
        return str(error)
    return ""


@MANY
@given(st.sampled_from(["CHROM", "FILTER", "INFO"]), _names)
@example("CHROM", "c,1")
@example("CHROM", "<A,B>")
@example("CHROM", "chr<1")
@example("FILTER", "a,b")
@example("INFO", "X,Y=1")
@example("INFO", "X=1,2")
def test_value_checker__takes_the_names_that_htslib_takes(column: str, name: str) -> None:
    line = _line(**{column: name})
    assert (_problem(line) == "") == _htslib_reads(line)


@MANY
@given(_samples())
@example(("GT:AD", "0/1:x", "0/0:1,2"))
@example(("GT:AD", "0/1:1.5", "0/0:1,2"))
@example(("GT:GQ", "0/1:nan", "0/0:.5"))
@example(("GT", "0/1:3", "0/0"))
@example(("GT:AD", "0/1", "0/0:"))
@example(("GT", "1073741823", "0/0"))
@example(("GT", "1073741821/9999999999", "0/0"))
@example(("GT:AD:AD", "0/1:1:2", "0/0:1:2"))
@example(("GT:Z,Z", "0/1:a", "0/0:1"))
@example(("GT:FL", "0/1:1", "0/0"))
@example(("GT:.", "0/1:.", "0/0:."))
@example((".", "0/1", "."))
@example(("GT", "0/1", ""))
@example(("GT", "", "0/0"))
@example(("AD:GT", "1:0/1", "2:"))
@example(("AD:GT", "1:", "2:0/1"))
def test_value_checker__takes_the_samples_that_htslib_takes(samples: tuple[str, str, str]) -> None:
    line = _line(FORMAT=samples[0], S1=samples[1], S2=samples[2])
    assert (_problem(line) == "") == _htslib_reads(line)


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"CHROM": "c,1"}, "a CHROM that the header does not declare and that htslib cannot take up"),
        ({"FILTER": "q10;a,b"}, "a FILTER that the header does not declare and that htslib cannot take up"),
        ({"INFO": "DP=3;X,Y=1"}, "a key in INFO that the header does not declare and that htslib cannot"),
        ({"FORMAT": "GT:A,B"}, "a FORMAT that htslib cannot read; its keys must differ, hold no comma"),
        ({"S2": "0/0:7"}, "more fields in sample 2 than FORMAT names."),
        ({"S2": ""}, "no text in its last sample."),
        (
            {"FORMAT": "GT:AD", "S1": "0/1:x"},
            "a value in sample 1 that is not what FORMAT AD holds by its declaration.",
        ),
    ],
)
def test_value_checker__says_what_is_wrong_and_shows_no_value(columns: dict[str, str], problem: str) -> None:
    assert _problem(_line(**columns)).startswith(f"x: record 1 has {problem}")


@MANY
@given(_samples(), st.integers(1, 300))
@example(("GT:AD", "0/1:x", "0/0:1,2"), 7)
@example(("GT", "0/1", ""), 299)
def test_value_checker__says_the_same_of_a_record_among_many(
    samples: tuple[str, str, str], number: int
) -> None:
    odd = Record(_line(FORMAT=samples[0], S1=samples[1], S2=samples[2]), 11)
    records = [Record(_line(FORMAT="GT:AD", S1=f"0/1:{place},7"), 11) for place in range(300)]
    records[number - 1] = odd
    problem = ""
    try:
        CHECKER.check("x", range(1, 301), records)
    except AuditInputError as error:
        problem = str(error)
    assert problem == _problem(odd.line).replace("record 1 ", f"record {number} ")


def test_value_checker__has_nothing_to_check_without_samples() -> None:
    CHECKER.check("x", [1], [Record(b"chr1\t1\t.\tA\tC\t.\t.\t.", 11)])


_TYPES = [("Float", "A"), ("Float", "1"), ("Integer", "1"), ("String", "1"), ("String", "A"), ("Float", ".")]
_fields = st.builds(
    "{}{}".format,
    st.sampled_from(["MAF", "AF", "AC", "AN", "DB"]),
    st.sampled_from(["", "=", "=0.1", "=0.2,0.3", "=.", "=abc", "=5", "=nan"]),
)


@MANY
@given(
    st.lists(st.sampled_from(_TYPES), min_size=4, max_size=4),
    st.lists(_fields, min_size=2, max_size=5).map(";".join),
)
@example([_TYPES[0]] * 4, "AF;AF=0.2")
@example([_TYPES[0]] * 4, "AF=;AF=0.2")
@example([_TYPES[1]] * 4, "MAF;MAF=0.2;AF=0.1")
def test_frequency_reader__of_a_key_written_twice_the_first_counts(
    types: list[tuple[str, str]], info: str
) -> None:
    """As htslib does, whatever the first one holds."""
    declared = [
        f'##INFO=<ID={key},Number={number},Type={kind},Description="x">'
        for key, (kind, number) in zip(("MAF", "AF", "AC", "AN"), types, strict=True)
    ]
    text = vcf_text([f"chr1 1 . A G . . {info}"], header=[HEADER[0], HEADER[3], *declared])
    header = parse_header("x", text[: text.index(b"chr1\t1\t")])
    (record,) = read(text)
    expected = site_maf(record)
    found = FrequencyReader(header.declarations).maf(info.encode())
    if expected is None or math.isnan(expected):
        assert not found < math.inf
    else:
        assert found == expected
