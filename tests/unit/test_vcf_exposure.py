"""What gives a masked allele or the donor away: every check, found and not found."""

import time

import pytest

from core.errors import AuditInputError
from core.vcf import CHECKS, VcfAudit, VcfPair, VcfSettings, judge_scan, scan_pair
from core.vcf.info import _keys_of
from core.vcf.pairing import Level
from core.vcf.remembering import forgetting
from core.vcf.sample_names import looks_personal, name_finder
from core.verdict import Verdict
from tests.vcf_files import HEADER, masked_header, vcf_file, vcf_text

REPEAT = "ACACACACACACACA"
RARE = "chr1 100 . A G . . AF=0.001"
COMMON = "chr1 900 . A T . . AF=0.4"
DELETION = "chr1 500 . ATG A . . AF=0.001"
INSERTION = "chr1 600 . A ACGTTGCA . . AF=0.001"
STR = f"chr1 200 . A {REPEAT} . . AF=0.3"
CLEAN = ["chr1 100 . A . . . .", "chr1 200 . A N . . .", COMMON]
SAMPLES = ("S1", "S2", "S3")


def _audit(
    original: list[str],
    anonymized: list[str],
    *,
    samples: tuple[str, ...] = (),
    names: tuple[str, ...] = (),
    header: list[str] | None = None,
    original_header: list[str] | None = None,
    level: str = "high",
    severities: dict[str, Verdict] | None = None,
) -> VcfAudit:
    first = vcf_text(original, samples=samples, header=original_header or HEADER)
    second = vcf_text(anonymized, samples=names or samples, header=header or masked_header())
    pair = VcfPair(
        original=vcf_file("x.vcf.gz", first),
        anonymized=vcf_file("high_anony_x.vcf.gz", second),
        level="high" if level == "high" else "low",
    )
    return judge_scan(scan_pair(pair, VcfSettings()), VcfSettings(severities=severities or {}))


def _found(audit: VcfAudit) -> dict[str, int]:
    return {exposure.check: exposure.n_affected for exposure in audit.exposure}


def test_scan_pair__remembers_nothing_of_a_file_afterwards() -> None:
    _audit([f"{RARE};SECRETKEY=1 GT 0/1"], ["chr1 100 . A . . . SECRETKEY=1 GT ./."], samples=("S1",))
    assert _keys_of.cache_info().currsize == 0
    with forgetting():
        assert _keys_of((b"SECRETKEY",)).keys == (b"SECRETKEY",)
        assert _keys_of.cache_info().currsize == 1
    assert _keys_of.cache_info().currsize == 0


def test_judge_scan__names_equally_frequent_keys_in_order() -> None:
    audit = _audit([RARE], ["chr1 100 . A . . . ZZ=1;EE=2;QD=3"])
    (found,) = [one.message for one in audit.exposure if one.check == "other_info"]
    assert found.endswith("EE (1), QD (1), ZZ (1).")


@pytest.mark.parametrize(
    ("check", "kept", "fields"),
    [
        ("described_in_info", ". . CADD_PHRED=22;AC=0;AO=3", "INFO/AO,INFO/CADD_PHRED"),
        ("told_in_info", ". . SAMPLES=x;GC=0,0;NOTE=S1_7", "INFO/NOTE,INFO/SAMPLES"),
        ("allele_in_info", ". q_G CSQ=G|x;DP=3;A=.;B=n.5A>G", "FILTER,INFO/B,INFO/CSQ"),
        ("public_id", "rs12 . RS=12;RSPOS=5;X=rs99", "ID,INFO/RS,INFO/X"),
        ("rare_frequency_in_info", ". . eas_AF=0.001;afr_AF=0.4", "INFO/eas_AF"),
    ],
)
def test_judge_scan__names_the_fields_to_remove_and_no_others(check: str, kept: str, fields: str) -> None:
    identifier, filtered, info = kept.split()
    audit = _audit(
        [f"{RARE} GT 0/1 0/0"],
        [f"chr1 100 {identifier} A . . {filtered} {info} GT ./. ./."],
        samples=("S1_7", "S2_8"),
    )
    (remedy,) = [one.remedy for one in audit.exposure if one.check == check]
    keys = fields.replace("INFO/", "").replace(",", " (1), ") + " (1)"
    assert keys in remedy
    assert remedy.endswith(f"bcftools annotate -x {fields}.")


def test_judge_scan__names_the_fields_of_added_records_beside_those_of_the_site() -> None:
    audit = _audit([RARE], ["chr1 100 . A . . . CADD=1", "chr1 100 rs7 A . . . GERP=2"])
    remedies = {one.check: one.remedy for one in audit.exposure}
    assert "-x INFO/CADD." in remedies["described_in_info"]
    assert "-x ID." in remedies["public_id"]


def test_judge_scan__a_clean_file_exposes_nothing() -> None:
    audit = _audit([RARE, STR, COMMON], CLEAN)
    assert audit.exposure == ()
    assert (audit.verdict, audit.exposure_verdict, audit.overall) == (Verdict.PASS,) * 3


@pytest.mark.parametrize(
    ("check", "original", "kept"),
    [
        ("masked_in_name_only", STR, "chr1 200 . A G,<NON_REF> . . ."),
        ("masked_in_name_only", STR, "chr1 200 . A G]chrUn_NT_1:5] . . ."),
        ("frequency_only", RARE, "chr1 100 . A G . . ."),
        ("frequency_only", RARE, "chr1 100 . A G . . AF=0.4"),
        ("public_id", RARE, "chr1 100 rs123 A . . . ."),
        ("public_id", RARE, "chr1 100 x;COSV99 A . . . ."),
        ("public_id", RARE, "chr1 100 1:100:A:G A . . . ."),
        ("other_id", RARE, "chr1 100 lab_17 A . . . ."),
        ("allele_in_info", RARE, "chr1 100 . A . . . CSQ=G|missense_variant|MODERATE"),
        ("allele_in_info", RARE, "chr1 100 . A . . . ANN=T|x,C|HGVS:c.12A>G"),
        ("allele_in_info", RARE, "chr1 100 . A . . . CLNHGVS=NC_000001.11:g.100A>G"),
        ("allele_in_info", RARE, "chr1 100 . A . . . ORIG=G"),
        ("allele_in_info", RARE, "chr1 100 . A . . . ALLELES=A,G"),
        ("allele_in_info", STR, f"chr1 200 . A N . . SEQ=xx{REPEAT}xx"),
        ("allele_in_info", "chr1 100 . A <DEL> . . AF=0.001", "chr1 100 . A . . . SVTYPE=DEL"),
        ("allele_in_info", "chr1 100 . A ATG . . AF=0.001", "chr1 100 . A . . . INS=TG"),
        ("rare_frequency_in_info", RARE, "chr1 100 . A . . . AF=0.001"),
        ("rare_frequency_in_info", RARE, "chr1 100 . A . . . AC=1;AN=1000"),
        ("rare_frequency_in_info", RARE, "chr1 100 . A . . . AF_afr=0.0009"),
        ("rare_frequency_in_info", RARE, "chr1 100 . A . . . gnomAD_AF=0"),
        ("allele_in_info", RARE, "chr1 100 . A . . . ORIG=g"),
        ("allele_in_info", RARE, "chr1 100 . A . . . OLD=A%3EG"),
        ("allele_in_info", RARE, "chr1 100 . A . . . ALT_ORIG=%47"),
        ("allele_in_info", RARE, "chr1 100 . A . . . X=c.100A_G"),
        ("allele_in_info", RARE, "chr1 100 . A . . . X=AtoG"),
        ("allele_in_info", RARE, "chr1 100 . A . . . AAChange.refGene=BRCA1:NM_1:exon2:c.A100G:p.R34G"),
        ("allele_in_info", RARE, "chr1 100 . A . . . X=NM_1:p.Arg5Gly"),
        ("allele_in_info", RARE, "chr1 100 . A . . G ."),
        ("allele_in_info", INSERTION, "chr1 600 . A . . . X=tgcaacgt"),
        ("allele_in_info", STR, f"chr1 200 . A N . . X={REPEAT.lower()}"),
        ("allele_in_info", STR, "chr1 200 . A N . . X=TGTGTGTGTGTGTGT"),
        ("allele_in_info", STR, "chr1 200 . A N . . HOMSEQ=ACACACACACACAC"),
        ("public_id", RARE, "chr1 100 chr1_100_a_g A . . . ."),
        ("public_id", RARE, "chr1 100 . A . . . X=rs1234567"),
        ("public_id", RARE, "chr1 100 . A . . . RS=12345"),
        ("public_id", RARE, "chr1 100 . A . . . CLNVI=ClinGen:CA123"),
        ("public_id", RARE, "chr1 100 . A . . . VRS_Allele_IDs=ga4gh:VA.abc"),
        ("public_id", RARE, "chr1 100 . A . . rs12345 ."),
        ("described_in_info", RARE, "chr1 100 . A . . . ExonicFunc=stopgain"),
        ("described_in_info", RARE, "chr1 100 . A . . . CLNSIG=Pathogenic"),
        ("described_in_info", RARE, "chr1 100 . A . . . AC_Het=1;AC_Hom=0"),
        ("described_in_info", RARE, "chr1 100 . A . . . AC=1"),
        ("described_in_info", RARE, "chr1 100 . A . . . AS_SB_TABLE=10,10|3,4"),
        ("indel_described", DELETION, "chr1 500 . ATG . . . ."),
        ("indel_described", INSERTION, "chr1 600 . A . . . SVLEN=7"),
        ("rare_frequency_in_info", RARE, "chr1 100 . A . . . AF=0.02;AC=1;AN=1000"),
        ("rare_frequency_in_info", RARE, "chr1 100 . A . . . EAF=0.1%"),
        ("rare_frequency_in_info", RARE, "chr1 100 . A . . . AF_percent=0.1"),
        ("rare_frequency_in_info", RARE, "chr1 100 . A . . . POPAF=3.0"),
        ("rare_frequency_in_info", RARE, "chr1 100 . A . . . TOPMED=0.999,0.001"),
        ("allele_respelled", RARE, "chr1 100 . A g . . ."),
        ("allele_respelled", RARE, "chr1 100 . A G. . . AF=0.4"),
        ("allele_respelled", RARE, "chr1 100 . A GN . . AF=0.4"),
        ("allele_respelled", RARE, "chr1 100 . A <SNV_G> . . AF=0.4"),
        ("allele_respelled", RARE, "chr1 100 . A R . . ."),
        ("allele_respelled", RARE, "chr1 100 . G A . . AF=0.4"),
        ("allele_respelled", RARE, "chr1 100 . AT GT . . AF=0.4"),
        ("allele_respelled", RARE, "chr1 100 . A . . . .\nchr1 100 . A g . . ."),
        ("allele_in_ref", RARE, "chr1 100 . G . . . ."),
        ("repeat_in_masked_alt", STR, f"chr1 200 . A {REPEAT}N . . ."),
        ("repeat_in_masked_alt", STR, f"chr1 200 . A {REPEAT.lower()},N . . ."),
        ("repeat_in_masked_alt", STR, "chr1 200 . A NACACACAC . . ."),
        ("repeat_in_masked_alt", STR, "chr1 200 . A ACNACNACNACNACNACNACN . . ."),
        ("repeat_length_kept", STR, f"chr1 200 . A {'N' * 14} . . ."),
        ("repeat_length_kept", STR, f"chr1 200 . A {'N' * 7} . . ."),
        ("repeat_length_kept", STR, "chr1 200 . A <STR7>,N . . ."),
        ("repeat_described", STR, "chr1 200 . A N . . X=(AC)7"),
        ("repeat_length_kept", STR, f"chr1 200 . A {'N' * len(REPEAT)} . . ."),
        ("allele_in_ref", STR, f"chr1 200 . {REPEAT} N . . ."),
        ("repeat_described", STR, "chr1 200 . A N . . RU=AC;RL=14"),
        ("unmasked_duplicate", RARE, "chr1 100 . A . . . .\nchr1 100 . A G . . AF=0.001"),
        ("unmasked_duplicate", STR, f"chr1 200 . A N . . .\nchr1 200 . A {REPEAT} . . ."),
        ("repeat_neighbour", STR, f"chr1 200 . A N . . .\nchr1 230 . A G{REPEAT} . . AF=0.3"),
    ],
)
def test_judge_scan__finds(check: str, original: str, kept: str) -> None:
    neighbour = ["chr1 230 . A GACACACACACACACA . . AF=0.3"] if check == "repeat_neighbour" else []
    audit = _audit([original, *neighbour], kept.split("\n"))
    exposure = {one.check: one for one in audit.exposure}[check]
    assert exposure.n_affected == 1
    assert exposure.examples == (":".join(original.split()[:2]),)
    assert exposure.verdict is CHECKS[check].default
    assert f"1 of {audit.n_variant_masked} " in exposure.message


@pytest.mark.parametrize(
    ("check", "original", "kept"),
    [
        ("masked_in_name_only", STR, "chr1 200 . A <N> . . ."),
        ("masked_in_name_only", STR, "chr1 200 . A <NON_REF>,GN . . ."),
        ("allele_in_info", RARE, "chr1 100 . A . . . GENE=GATA1;G=3;DP=7"),
        ("allele_in_info", RARE, "chr1 100 . A . . . CSQ=.|||"),
        ("rare_frequency_in_info", RARE, "chr1 100 . A . . . AF_afr=0.3;DP=0"),
        ("public_id", RARE, "chr1 100 first7 A . . . ."),
        ("repeat_neighbour", STR, "chr1 200 . A N . . ."),
        ("frequency_only", RARE, "chr1 100 . A T . . ."),
        ("allele_respelled", RARE, "chr1 100 . A T,<NON_REF> . . ."),
        ("allele_respelled", RARE, "chr1 100 . AT TT . . ."),
        ("allele_in_info", RARE, "chr1 100 . A . . . GENE=TAGTOG;X=1e-3"),
        ("public_id", RARE, "chr1 100 . A . . . FS=12;CA=3;MQRS=17"),
        ("described_in_info", RARE, "chr1 100 . A . . . DP=7;MQ=60;AC_Hom=0;nhomalt=0"),
        ("indel_described", RARE, "chr1 100 . A . . . END=100"),
        ("rare_frequency_in_info", RARE, "chr1 100 . A . . . AF=0.02;AC=1;AN=10;EAF=3%"),
        ("repeat_in_masked_alt", STR, "chr1 200 . A ACACN . . ."),
        ("repeat_length_kept", STR, "chr1 200 . A NN . . ."),
    ],
)
def test_judge_scan__does_not_find(check: str, original: str, kept: str) -> None:
    assert check not in _found(_audit([original], [kept]))


GENOTYPES = "GT:AD:PL 0/0:9,0:0,9,99 0/1:4,5:50,0,50 0/0:9,0:0,9,99"


@pytest.mark.parametrize(
    ("samples", "checks"),
    [
        (GENOTYPES, {"genotype_kept", "depth_betrays"}),
        ("GT 0/0 0|1 0/0", {"genotype_kept"}),
        ("GT 0 1 0", {"genotype_kept"}),
        ("GT ./. ./1 0/0", {"genotype_kept"}),
        ("GT:AD 0/0:9,0 ./.:4,5 0/0:9,0", {"depth_betrays"}),
        ("GT:PL 0/0:0,9,99 ./.:50,0,50 0/0:0,9,9", {"depth_betrays"}),
        ("GT:AO 0/0:0 ./.:12 0/0:0", {"depth_betrays"}),
        ("GT:GP 0/0:1,0,0 ./.:0,1,0 0/0:1,0,0", {"depth_betrays"}),
        ("GT:GP 0/0:1,0,0 ./.:1e-4,0.9,0 0/0:1,0,0", {"depth_betrays"}),
        ("GT:GL 0/0:0,-3,-9 ./.:-3,0,-9 0/0:0,-3,-9", {"depth_betrays"}),
        ("GT:DS 0/0:0 ./.:1.0 0/0:0", {"depth_betrays"}),
        ("GT:PP 0/0:0,9,99 ./.:9,0,99 0/0:0,9,9", {"depth_betrays"}),
        ("GT:SB 0/0:5,5,0,0 ./.:5,5,3,3 0/0:5,5,0,0", {"depth_betrays"}),
        ("GT:RD:AD 0/0:9:0 ./.:5:4 0/0:9:0", {"depth_betrays"}),
        ("GT:PS 0/0:. ./.:100 0/0:.", {"depth_betrays"}),
        ("GT:OGT 0/0:0/0 ./.:0/1 0/0:0/0", {"genotype_kept"}),
        ("DP:GT 3:0/0 3:0/1 3:0/0", {"genotype_kept"}),
        ("GT:GP:GL:DS 0/0:1,0,0:0,-3,-9:0.01 ./.:.:.:. 0/0:.:.:.", set()),
        ("GT:AD 0/0:9,0 ./.:. 0/0:9,0", set()),
        ("GT ./. ./. 0/0", set()),
        ("DP 11 12 13", set()),
    ],
)
def test_judge_scan__finds_who_carries_a_masked_allele(samples: str, checks: set[str]) -> None:
    original = [f"{RARE} {GENOTYPES}"]
    audit = _audit(original, [f"chr1 100 . A . . . . {samples}"], samples=SAMPLES)
    assert {check for check in _found(audit) if check in ("genotype_kept", "depth_betrays")} == checks


@pytest.mark.parametrize(("pid", "n_sites"), [("100_A_G", 1), ("95_C_T", 0), (".", 0)])
def test_judge_scan__finds_the_allele_in_a_phasing_identifier(pid: str, n_sites: int) -> None:
    samples = f"GT:PGT:PID 0/0:.:. ./.:0|1:{pid} 0/0:.:."
    audit = _audit([f"{RARE} {GENOTYPES}"], [f"chr1 100 . A . . . . {samples}"], samples=SAMPLES)
    assert _found(audit).get("allele_in_samples", 0) == n_sites


@pytest.mark.parametrize(
    ("original", "kept", "n_sites"),
    [
        ("0/0 0/1 0/0", "0/0 ./. 0/0", 1),
        ("0|0 0|1 0/0", "0|0 0/. 0/0", 1),
        ("0 1 0", "0 . 0", 1),
        ("0/0 0/1 ./.", "0/0 ./. ./.", 0),
        ("0/0 0/1 0/0", "./. ./. 0/0", 0),
        ("0/0 0/1 0/0", "./. .|. ./.", 1),
        ("0/0 0|1 0/0", "./. .|. ./.", 1),
        ("0/0 0/1 0/0", "./. . ./.", 1),
        ("0/0 0/1 0/0", "0/0 0/0 0/0", 0),
        ("0/0 0/1 0/0", "./. ./. ./.", 0),
        ("0/1 0/1 1/1", "./. ./. ./.", 0),
        ("0/0 0/1 0/0", "0/0 0/1 0/0", 0),
    ],
)
def test_judge_scan__finds_that_only_the_carriers_were_blanked(
    original: str, kept: str, n_sites: int
) -> None:
    audit = _audit([f"{RARE} GT {original}"], [f"chr1 100 . A . . . . GT {kept}"], samples=SAMPLES)
    assert _found(audit).get("carriers_blanked", 0) == n_sites


@pytest.mark.parametrize(
    ("form", "original", "kept", "n_sites"),
    [
        ("GT:DP", "0/0:9 0/1:8 0/0:7", "./.:9 ./.:. ./.:7", 1),
        ("GT:DP", "0/0:9 0/1:8 0/0:7", "./.:9 ./. ./.:7", 1),
        ("GT:GQ", "0/0:9 0/1:8 0/0:7", "./.:. ./.:8 ./.:.", 1),
        ("GT:FT", "0/0:. 0/1:. 0/0:.", "./.:PASS ./.:LowGQ ./.:PASS", 1),
        ("GT:DP", "0/0:9 0/1:8 0/0:7", "./.:9 ./.:. ./.:.", 0),
        ("GT:DP", "0/0:9 0/1:. 0/0:7", "./.:9 ./.:. ./.:7", 1),
        ("GT:FT", "0/0:PASS 0/1:LowGQ 0/0:PASS", "./.:PASS ./.:LowGQ ./.:PASS", 0),
    ],
)
def test_judge_scan__finds_that_other_fields_were_blanked_for_carriers_alone(
    form: str, original: str, kept: str, n_sites: int
) -> None:
    audit = _audit([f"{RARE} {form} {original}"], [f"chr1 100 . A . . . . {form} {kept}"], samples=SAMPLES)
    assert _found(audit).get("carriers_blanked", 0) == n_sites


def test_judge_scan__leaving_all_samples_out_changes_no_genotype() -> None:
    original = vcf_text([f"{COMMON} GT 0/0 0/1 0/0"], samples=SAMPLES)
    pair = VcfPair(
        original=vcf_file("x.vcf.gz", original),
        anonymized=vcf_file("high_anony_x.vcf.gz", vcf_text([COMMON], header=masked_header())),
        level="high",
    )
    assert "genotypes_changed" not in _found(judge_scan(scan_pair(pair, VcfSettings()), VcfSettings()))


@pytest.mark.parametrize(
    ("site", "kept", "samples", "check"),
    [
        (RARE, ".", "GT:TGT ./.:A/A ./.:A/G ./.:A/A", "allele_in_samples"),
        (RARE, ".", "GT:PID ./.:. ./.:100_a_g ./.:.", "allele_in_samples"),
        (STR, "N", "GT:REPCN ./.:. ./.:7 ./.:.", "allele_in_samples"),
        (STR, "N", "GT:GB ./.:. ./.:0|14 ./.:.", "allele_in_samples"),
        (RARE, ".", "GT:ZZ ./.:QQ ./.:Rw ./.:QQ", "sample_fields_kept"),
        (RARE, ".", "GT:DP:GQ:FT ./.:3:9:PASS ./.:3:9:PASS ./.:3:9:.", "sample_fields_kept"),
        (RARE, ".", "GT:ZZ ./.:. ./.:. ./.:.", None),
    ],
)
def test_judge_scan__finds_other_fields_of_samples(
    site: str, kept: str, samples: str, check: str | None
) -> None:
    audit = _audit(
        [f"{site} GT 0/0 0/1 0/0"],
        [f"{site.rsplit(' ', 4)[0]} {kept} . . . {samples}"],
        samples=SAMPLES,
        names=("a1", "b2", "c3"),
    )
    # Carriers are written otherwise in some of these, and FORMAT is new, which is found as well.
    found = {*_found(audit)} - {"depth_betrays", "carriers_blanked", "format_rewritten"}
    assert found == ({check} if check else set())


PHASED = [*HEADER, '##FORMAT=<ID=PID,Number=1,Type=String,Description="x">']


@pytest.mark.parametrize(
    ("site", "pid", "n_sites"),
    [
        ("A . . . .", "100_A_G", 1),
        ("A . . . .", "100_A_N", 0),
        ("A . . . .", "950_A_G", 0),
        ("A . . . .", "99999999999999_A_G", 0),
        ("A . . . .", "x100_A_G", 0),
        ("A G . . AF=0.3", "100_A_G", 0),
    ],
)
@pytest.mark.parametrize("declared", [True, False])
def test_judge_scan__finds_a_masked_allele_in_a_neighbours_phasing_identifier(
    site: str, pid: str, n_sites: int, declared: bool
) -> None:
    neighbour = f"{COMMON} GT:PGT:PID 0/0:.:. 0|1:0|1:{pid} 0/0:.:."
    audit = _audit(
        [f"{RARE} {GENOTYPES}", neighbour, f"chr2 100 . A G . . AF=0.001 {GENOTYPES}"],
        [f"chr1 100 . {site} GT ./. ./. ./.", neighbour, "chr2 100 . A . . . . GT ./. ./. ./."],
        samples=SAMPLES,
        header=masked_header(PHASED if declared else HEADER),
    )
    found = {exposure.check: exposure for exposure in audit.exposure}
    assert ("phased_neighbour" in found) == bool(n_sites)
    if n_sites:
        assert found["phased_neighbour"].examples == ("chr1:100",)
        assert found["phased_neighbour"].message.startswith("1 of 2 masked sites are named by a phasing")


def test_judge_scan__the_same_phasing_identifier_on_two_contigs() -> None:
    own = "GT:PID 0|1:100_A_G"
    lines = [f"{RARE} {own}", f"chr1 200 . A T . . AF=0.4 {own}", f"chr2 100 . A G . . AF=0.4 {own}"]
    audit = _audit(
        lines,
        [f"chr1 100 . A . . . . {own}", *lines[1:]],
        samples=("S1",),
        header=masked_header(PHASED),
        original_header=PHASED,
    )
    assert {one.check: one.examples for one in audit.exposure}["phased_neighbour"] == ("chr1:100",)


@pytest.mark.parametrize("piece", [200, 1 << 21])
def test_judge_scan__finds_a_phasing_identifier_blocks_later_and_in_any_order(piece: int) -> None:
    lines = [
        f"{RARE} GT:PID 0|1:100_A_G",
        *(f"chr1 {pos} . A T . . AF=0.4 GT:PID 0|1:100_A_G" for pos in range(200, 260)),
    ]
    masked = ["chr1 100 . A . . . . GT:PID ./.:.", *lines[1:]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.vcf.lines.PIECE", piece)
        for kept in (masked, masked[::-1]):
            header = masked_header(PHASED)
            audit = _audit(
                lines, kept, samples=("S1",), names=("sample_1",), header=header, original_header=PHASED
            )
            assert _found(audit)["phased_neighbour"] == 1


@pytest.mark.parametrize(
    ("line", "samples", "n_sites"),
    [
        ("chr1 100 . A G . . AF=0.001", "GT 0/0 0/1 0/0", 1),
        ("chr1 100 . A G . . AF=0.001", "GT 0/0 1|1 0/0", 1),
        ("chr1 100 . A G . . AF=0.001", "GT 0 1 0", 1),
        ("chr1 100 . A G . . AF=0.001", "GT:DP 0/0:1 0/1:1 1/1:1", 0),
        ("chr1 100 . A G . . AF=0.001", "GT 0/0 0/0 0/0", 0),
        ("chr1 100 . A G . . AF=0.001", "GT 0/0/0 0/0/1 0/0/0", 1),
        ("chr1 100 . A G . . AF=0.001", "DP 0 1 0", 0),
        ("chr1 100 . A G . . AF=0.999", "GT 1/1 0/1 1/1", 1),
        ("chr1 100 . A G . . AF=0.999", "GT 1/1 0/1 0/1", 0),
        ("chr1 100 . A G,T . . AF=0.3,0.001", "GT 0/1 0/2 0/1", 1),
        ("chr1 100 . A G,T . . AF=0.001,0.3", "GT 0/1 0/2 0/1", 0),
        ("chr1 100 . A G . . AF=0.4", "GT 0/0 0/1 0/0", 0),
    ],
)
@pytest.mark.parametrize("changed", ["", "x"], ids=["unchanged", "changed"])
def test_judge_scan__counts_rare_alleles_of_one_donor(
    line: str, samples: str, n_sites: int, changed: str
) -> None:
    kept = line.replace(" . A", f" {changed or '.'} A", 1)
    audit = _audit([f"{line} {samples}"], [f"{kept} {samples}"], samples=SAMPLES)
    assert _found(audit).get("sole_carrier", 0) == n_sites


@pytest.mark.parametrize(
    ("samples", "n_sites"), [("GT 0/1", 1), ("GT 1", 1), ("GT 0/0", 0), ("GT:DP ./.:3", 0), ("DP 1", 0)]
)
def test_judge_scan__one_sample_is_one_donor(samples: str, n_sites: int) -> None:
    lines = [
        f"{RARE} {samples}",
        f"chr1 110 . A G . . AF=0.999 {samples.replace('0/1', '1/0').replace(' 1', ' 0')}",
    ]
    audit = _audit(lines[:1], lines[:1], samples=("S1",))
    assert _found(audit).get("sole_carrier", 0) == n_sites


def test_judge_scan__counts_what_changed_beside_masking() -> None:
    original = [RARE, STR, COMMON, "chr1 950 . A C . . AF=0.4"]
    kept = [CLEAN[0], CLEAN[1], "chr1 900 . T T . . AF=0.4", f"chr1 960 . A {REPEAT} . . AF=0.4"]
    audit = _audit(original, kept)
    assert _found(audit) == {
        "repeats_added": 1,
        "records_removed": 1,
        "records_added": 1,
        "reference_changed": 1,
    }


def test_judge_scan__counts_changed_genotypes_but_not_other_fields() -> None:
    original = [f"chr1 {pos} . A G . . AF=0.4 GT:DP 0/1:3 0/0:4" for pos in (1, 2, 3)]
    kept = [original[0].replace("0/1:3", "0/0:3"), original[1].replace("0/1:3", "0/1:9"), original[2]]
    assert _found(_audit(original, kept, samples=("S1", "S2")))["genotypes_changed"] == 1


@pytest.mark.parametrize(("alt", "n_changed"), [(".", 0), ("G", 1)])
def test_judge_scan__a_genotype_blanked_with_its_allele_is_masked_not_changed(
    alt: str, n_changed: int
) -> None:
    audit = _audit([f"{RARE} GT 0/1 0/0"], [f"chr1 100 . A {alt} . . . GT ./. 0/0"], samples=("S1", "S2"))
    assert _found(audit).get("genotypes_changed", 0) == n_changed


def test_judge_scan__counts_records_out_of_order() -> None:
    lines = [f"chr1 {pos} . A G . . AF=0.4" for pos in (1, 2, 3, 4)]
    assert _found(_audit(lines, [lines[1], lines[0], lines[2], lines[3]]))["records_reordered"] == 1
    assert "records_reordered" not in _found(_audit(lines[::-1], lines[::-1]))


def test_judge_scan__extra_and_lacking_records_at_one_site() -> None:
    more = _audit([COMMON], [COMMON, COMMON, COMMON])
    assert _found(more)["records_added"] == 2
    fewer = _audit([COMMON, COMMON, COMMON], [COMMON])
    assert _found(fewer)["records_removed"] == 2


def test_judge_scan__nothing_to_verify_is_not_assessed() -> None:
    bare = [line for line in HEADER if "cmdline" not in line and "reference" not in line]
    audit = _audit([COMMON], [COMMON], header=bare, original_header=bare)
    assert audit.report_row()["anonymization_rate"] == "100.00%(0/0)"
    assert (audit.verdict, audit.overall) == (Verdict.PASS, Verdict.NOT_ASSESSED)
    assert audit.exposure[0].message == (
        "Nothing in the original has to be masked by the published rule; 100.00%(0/0) says nothing."
    )


def test_judge_scan__a_declaration_that_hides_frequencies_is_not_assessed() -> None:
    header = [line.replace("ID=MAF,Number=1,Type=Float", "ID=MAF,Number=0,Type=Flag") for line in HEADER]
    audit = _audit([f"{COMMON};MAF", RARE], [f"{COMMON};MAF", CLEAN[0]], original_header=header)
    exposure = {one.check: one for one in audit.exposure}["declaration_hides_frequency"]
    assert exposure.message == (
        "1 of 2 original records with an ALT have a frequency that the header makes unreadable by its "
        "declaration (MAF as text, flag or list, AN as a list); they are no targets and were not assessed."
    )
    assert exposure.examples == ("chr1:900",)
    assert audit.overall is Verdict.NOT_ASSESSED


def test_judge_scan__records_without_a_frequency_are_counted() -> None:
    some = _audit([RARE, "chr1 300 . A G . . ."], [CLEAN[0], "chr1 300 . A G . . ."])
    assert _found(some) == {"frequency_unknown": 1}
    none = _audit(["chr1 300 . A G . . ."], ["chr1 300 . A G . . ."])
    assert _found(none) == {"no_frequency_at_all": 1}
    assert none.exposure_verdict is Verdict.NOT_ASSESSED


@pytest.mark.parametrize(
    ("line", "checks"),
    [
        ("##bcftools_viewCommand=view -o out in.vcf", {"header_command", "header_file"}),
        ('##GATKCommandLine=<ID=x,CommandLine="HaplotypeCaller">', {"header_command"}),
        ("##cmdline=caller", {"header_command"}),
        ("##source=GATK", {"header_source"}),
        ("##fileDate=20240131", {"header_date"}),
        ("##note=made 2024-01-31", {"header_date"}),
        ("##SAMPLE=<ID=S1,Sex=F>", {"header_person"}),
        ("##PEDIGREE=<ID=S1,Father=S2>", {"header_person"}),
        ("##note=/data/run/in.bam", {"header_path", "header_file"}),
        ("##note=C:\\runs\\in.bam", {"header_path", "header_file"}),
        ("##note=/Users/mina", {"header_path", "header_host"}),
        ("##note=hostname: node7", {"header_host"}),
        ("##note=ask mina@clinic.example.org", {"header_email"}),
        ("##contig=<ID=chr9,assembly=GRCh38>", {"header_contig_origin", "header_leftover"}),
        (
            "##contig=<ID=chr9,URL=file:/refs/x/y.fa>",
            {"header_contig_origin", "header_path", "header_leftover"},
        ),
        ("##contig=<ID=chr1,length=1004200001>", {"header_leftover", "header_order"}),
        ("##contig=<ID=chr1>", {"header_order"}),
        ("##contig=<ID=chr1>  ", {"header_leftover", "header_order"}),
        ("##phasing=D001", {"header_leftover"}),
        ("##phasing=partial", set()),
        ("##assembly=GRCh38.p13", set()),
        ("##assembly=of Kim", {"header_leftover"}),
        ('##INFO=<ID=ZZ,Number=1,Type=Float,Description="x",Note=G7>', {"header_leftover"}),
        ("##args=-I in.bam -O out", {"header_command", "header_file"}),
        ("##note=Kim_Minji.cram", {"header_file"}),
        ('##INFO=<ID=ZZ,Number=1,Type=Float,Description="from Kim_2024.bam">', {"header_file"}),
        ("##note=%2Fhome%2Fkim", {"header_path", "header_host"}),
        ("##note=s3://bucket/kim", {"header_path"}),
        ("##note=~/x", {"header_path"}),
        ("##note=10.0.0.17", {"header_host"}),
        ("##note=run@node7", {"header_host"}),
        ("##note=node7.cluster.local", {"header_host"}),
        ("##note=31.01.2024", {"header_date"}),
        ("##note=Jan 31, 2024", {"header_date"}),
        ("##tumor_sample=x", {"header_person"}),
        ("##note=SM:kim", {"header_person"}),
        ("##note=850101-1234567", {"header_person"}),
        ("##note=chr1:100:A>G", {"header_allele"}),
        ("##note=rs12345", {"header_allele"}),
        ("##note=version 4.1.2.0, 1:5 scale", {"header_leftover"}),
        ('##INFO=<ID=ZZ,Number=1,Type=Float,Description="x",Source="dbsnp_138.vcf">', set()),
        ("##note=see https://example.org/a/b/c", {"header_leftover"}),
        ('##INFO=<ID=ZZ,Number=1,Type=Float,Description="ratio of A/B and/or C">', set()),
        ("##masked=yes", set()),
        ("##anonymized_at_threshold=0.01", set()),
        ("##masked=by Kim Minjun", {"header_leftover"}),
        ("##source=caller 1.2 (built 2019-03-01)", {"header_source"}),
        ("##source=caller 1.2; Date=Thu Jan 3 10:20:30 2019", {"header_source", "header_date"}),
        ("##array=GenotypingArray_204126290052_R01C01", {"header_person"}),
        ("##gtcBarcode=204126290052", {"header_person"}),
        ("##computedGender=F", {"header_person"}),
        ("##note=sex: female", {"header_person"}),
        ("##note=46,XY", {"header_person"}),
        ("##note=ftp://ftp.example.org/pub/a/b", {"header_leftover"}),
        ("##note=ftp://kim@example.org/pub/a/b", {"header_path", "header_email"}),
        ('##FILTER=<ID=q9,Description="asked for by Kim Minjun">', {"header_person"}),
        ('##FILTER=<ID=MASKED,Description="Masked because rare">', set()),
        ('##INFO=<ID=ZZ,Number=1,Type=Float,Description="support@tool.example.org">', {"header_email"}),
        ("##cmdline=.", {"header_order"}),
        ("##source=.", set()),
        ("##note=", set()),
    ],
)
def test_header_exposures__each_line(line: str, checks: set[str]) -> None:
    audit = _audit([RARE], [CLEAN[0]], header=[*masked_header(), line])
    assert set(_found(audit)) == checks
    assert all(one.examples == (line.partition("=")[0],) for one in audit.exposure)


DOCUMENTS = (
    '##INFO=<ID=Z1,Number=1,Type=Float,Description="Depth in the test.bam, see call of 2019-03-01">',
    '##INFO=<ID=Z2,Number=1,Type=Float,Description="such as c.76A>T or rs334; support@tool.example.org">',
    '##INFO=<ID=Z3,Number=1,Type=String,Description="documented at ftp://ftp.example.org/pub/a/b.pdf">',
    '##FORMAT=<ID=Z4,Number=1,Type=String,Description="sex: male or female, Fisher Exact by Wright">',
)


def test_header_exposures__documentation_of_the_original_is_no_leak() -> None:
    """Neither in the original's words, nor written anew with the same description."""
    line = f"{COMMON} GT 0/1 0/1"
    samples = ("test", "call")
    first = [*HEADER, *DOCUMENTS]
    second = [*masked_header(), *(f"{one[:-1]},IDX=7>" for one in DOCUMENTS)]
    audit = _audit([line], [line], samples=samples, names=("a", "b"), header=second, original_header=first)
    assert _found(audit) == {}


@pytest.mark.parametrize(
    ("description", "is_told"),
    [
        *(("depth in Kim Minjun's exome", True), ("asked for by Park Ji-woo", True), ("of John Smith", True)),
        *(
            ("Janez Novak, second visit", True),
            ("김민지 님", True),
            ("850101-1234567", True),
            ("Lee 민지", True),
        ),
        *(("as in HN-00017 and others", True), ("as in HN 00017", True), ("carried by Oh_Hana", True)),
        *(("Fisher Exact by Smith and Waterman", False), ("Southern Han Chinese", False)),
        *(("Hardy Weinberg", False), ("Depth of Kim", False), ("HN 100017", False), ("HN 0001", False)),
    ],
)
def test_header_exposures__a_person_in_documentation_of_the_original(description: str, is_told: bool) -> None:
    line = f'##INFO=<ID=Z9,Number=1,Type=Float,Description="{description}">'
    record = f"{COMMON} GT 0/1"
    audit = _audit(
        [record],
        [record],
        samples=("HN_00017",),
        names=("a",),
        header=[*masked_header(), line],
        original_header=[*HEADER, line],
    )
    assert ("header_person" in _found(audit)) == is_told


def test_header_exposures__what_documentation_must_not_hold() -> None:
    lines = (
        '##INFO=<ID=Z1,Number=1,Type=Float,Description="Depth in S17_2024.bam">',
        '##INFO=<ID=Z2,Number=1,Type=Float,Description="ask min.kim@hospital.example">',
        '##INFO=<ID=Z3,Number=1,Type=Float,Description="Depth of HN00017">',
        '##INFO=<ID=Z4,Number=1,Type=Float,Description="see /data/u/kim/readme.txt">',
    )
    line = f"{COMMON} GT 0/1"
    audit = _audit(
        [line],
        [line],
        samples=("HN00017",),
        names=("a",),
        header=[*masked_header(), *lines],
        original_header=[*HEADER, *lines],
    )
    assert set(_found(audit)) == {"header_file", "header_email", "header_person", "header_path"}


def test_header_exposures__of_a_long_line_in_linear_time() -> None:
    text = "0123456789abcdef" * 5_000
    started = time.process_time()
    lines = [*masked_header(), f"##note={text}", f'##INFO=<ID=Z,Number=1,Type=String,Description="{text}">']
    line = f"{COMMON} GT 0/1"
    _audit([line], [line], samples=(text,), names=(text[::-1],), header=lines)
    assert time.process_time() - started < 2


def test_header_exposures__sample_names() -> None:
    line = f"{COMMON} GT 0/1 0/1 0/1"
    audit = _audit([line], [line], samples=("S1", "HG00096", "x2"), names=("S1", "Minji Kim", "id_3"))
    found = {one.check: one.examples for one in audit.exposure}
    assert found == {"samples_identify": ("sample 2",), "samples_kept": ("sample 1",)}


@pytest.mark.parametrize(
    "name",
    [
        *("sample_1", "S01", "donor-7", "17", "anon_3", "patient 12", "tumor", "control"),
        *("9f31c07be2a4", "0C1F2E3D4B5A6978", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"),
        *(
            "Han_Chinese",
            "Park_score",
            "S000123",
            "k3j9x2q7",
            "AB12CD34",
            "XQZ19P",
            "test",
            "call",
            "0047119",
            "Sample_Blood",
        ),
    ],
)
def test_looks_personal__not_for_generic_names(name: str) -> None:
    assert not looks_personal(name)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "Choi_Jiwoo",
            "Seo-yeon Kang",
            "Minji Kim",
            "김민지",
            "john.doe",
            "NA12878",
            "8501011234567",
            "MRN-004711",
            "alice",
        ),
        *("Ana_Novak_2", "김 민지", "kim@example.org", "850101-1234567", "P_1985-01-31", "runs/kim.bam"),
    ],
)
def test_looks_personal__for_names_and_identifiers(name: str) -> None:
    assert looks_personal(name)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "HN12345",
            "hn12345",
            "54321NH",
            "anon_HN12345",
            "12345",
            "484e3132333435",
            "SE4xMjM0NQ==",
            "HN%312345",
        ),
        *("x김민지", "김민지_2", "KOVAČ7"),
    ],
)
def test_name_finder__finds_original_names_in_any_dress(name: str) -> None:
    """Originals in a Korean encoding, released names in UTF-8."""
    found = name_finder([b"HN12345", "김민지".encode("cp949"), "kovač7".encode()])
    assert found(name.encode())


@pytest.mark.parametrize("name", ["S0001", "HN1234", "HN54321", "zz", "김영희", "4"])
def test_name_finder__pseudonyms_are_none(name: str) -> None:
    found = name_finder([b"HN12345", "김민지".encode("cp949"), b"sample"])
    assert not found(name.encode())


def test_name_finder__takes_any_number_of_samples() -> None:
    found = name_finder(b"HN%06d" % i for i in range(30_000))
    started = time.process_time()
    assert sum(found(b"x_HN%06d_y" % i) for i in range(30_000)) == 30_000
    assert time.process_time() - started < 10


def test_samples__names_that_were_kept_are_identifiers_and_pseudonyms_are_none() -> None:
    line = f"{COMMON} GT 0/1 0/1 0/1"
    samples = ("HN12345", "XQZ19P77", "S1")
    kept = _found(_audit([line], [line], samples=samples))
    assert kept == {"samples_kept": 3, "samples_identify": 2}
    assert _found(_audit([line], [line], samples=samples, names=("S000123", "k3j9x2q7", "AB12CD34"))) == {}


def test_judge_scan__severities_are_the_persons_choice() -> None:
    chosen = {"public_id": Verdict.WARN}
    audit = _audit([RARE], ["chr1 100 rs1 A . . . ."], severities=chosen)
    assert audit.exposure_verdict is Verdict.WARN
    with pytest.raises(AuditInputError) as caught:
        _audit([RARE], [CLEAN[0]], severities={"no_such": Verdict.WARN})
    assert str(caught.value).startswith("No exposure check has the name no_such. The checks are: masked_in")


def test_judge_scan__low_level_still_tells_of_header_and_donors() -> None:
    line = f"{RARE} GT 0/1 0/0 0/0"
    audit = _audit([line], [line], samples=SAMPLES, names=("a1", "b2", "c3"), level="low")
    assert set(_found(audit)) == {"sole_carrier", "variants_not_verified"}


def test_judge_scan__low_level_says_which_variants_it_leaves() -> None:
    audit = _audit([RARE, STR, COMMON], [RARE, CLEAN[1], COMMON], level="low")
    exposure = {one.check: one for one in audit.exposure}["variants_not_verified"]
    assert (exposure.n_affected, exposure.examples) == (1, ("chr1:100",))
    assert exposure.message.startswith("1 of 2 rare or repeat sites still name their allele. ")
    assert (audit.verdict, audit.overall) == (Verdict.PASS, Verdict.WARN)
    assert _audit([RARE, STR, COMMON], CLEAN, level="low").overall is Verdict.PASS


@pytest.mark.parametrize(
    ("name", "level", "n"),
    [
        ("HIGH_anony_x.vcf.gz", "low", 1),
        ("high-0.01_anony_x.vcf.gz", "low", 1),
        ("low_anony_x.vcf.gz", "low", 0),
        ("weak_anony_x.vcf.gz", "low", 0),
        ("paired_by_hand.vcf.gz", "low", 0),
        ("HIGH_anony_x.vcf.gz", "high", 0),
    ],
)
def test_judge_scan__says_that_a_level_was_assumed(name: str, level: Level, n: int) -> None:
    pair = VcfPair(
        original=vcf_file("x.vcf.gz", vcf_text([RARE])),
        anonymized=vcf_file(name, vcf_text([CLEAN[0]], header=masked_header())),
        level=level,
    )
    audit = judge_scan(scan_pair(pair, VcfSettings()), VcfSettings())
    assert _found(audit).get("level_assumed", 0) == n
    assert audit.overall is (Verdict.NOT_ASSESSED if n else Verdict.PASS)


@pytest.mark.parametrize(
    ("added", "checks"),
    [
        ("chr1 101 . A G . . AF=0.3", {"added_neighbour"}),
        ("chr1 101 . A G . . .", {"added_neighbour"}),
        ("1 101 . A G . . .", {"added_neighbour"}),
        ("chr1 151 . A G . . .", set()),
        ("chr2 101 . A G . . AF=0.3", set()),
        ("chr2 5000 . A G . . AF=0.001", {"rare_added"}),
        (f"chr2 5000 . A {REPEAT.lower()} . . AF=0.3", {"repeats_added"}),
        ("chr1 101 . A . . . AF=0.001", set()),
        ("chr1 101 . A N,<NON_REF> . . AF=0.001", set()),
    ],
)
def test_judge_scan__an_added_record_may_be_a_masked_one_that_was_moved(added: str, checks: set[str]) -> None:
    audit = _audit([RARE, COMMON], [CLEAN[0], added, COMMON])
    assert set(_found(audit)) - {"records_added"} == checks
    assert audit.overall is (Verdict.FAIL if checks else Verdict.WARN)


def test_judge_scan__finds_that_original_and_anonymized_are_exchanged() -> None:
    exposed = {one.check: one for one in _audit([*CLEAN[:2], COMMON], [RARE, STR, COMMON]).exposure}
    assert exposed["alleles_shown"].examples == ("chr1:100", "chr1:200")
    assert exposed["alleles_shown"].verdict is Verdict.FAIL
    twice = _audit([CLEAN[0], CLEAN[0]], [CLEAN[0], RARE])
    assert _found(twice)["alleles_shown"] == 1
    blank = _audit(["chr1 5 . A <NON_REF> . . ."], ["chr1 5 . A N . . ."])
    assert "alleles_shown" not in _found(blank)


def test_header_exposures__lines_that_name_a_sample() -> None:
    line = f"{COMMON} GT 0/1 0/1 0/1"
    header = masked_header()
    names = ("HG1x", "kimmin", "S3")
    for text, n in (("kimmin", 1), ("x.kimmin_2", 1), ("kimmins", 0), ("S3", 0)):
        audit = _audit([line], [line], samples=names, names=SAMPLES, header=[*header, f"##note={text}"])
        assert _found(audit).get("header_person", 0) == n


def test_header_exposures__free_text_of_the_original_or_new() -> None:
    own = [*HEADER, "##note=anything", "##other=.", "##phasing=partial"]
    audit = _audit([RARE], [CLEAN[0]], original_header=own, header=[*masked_header(own), "##new=words"])
    exposure = {one.check: one for one in audit.exposure}["header_leftover"]
    assert (exposure.n_affected, exposure.examples) == (2, ("##note", "##new"))


@pytest.mark.parametrize(
    ("original", "kept", "n"),
    [
        ("MRN-12", "mrn12", 1),
        ("kimmin", "xKimMin7", 1),
        ("S1", "x_S1", 0),
        ("S1", "s1", 1),
        ("S1", "a9", 0),
        ("HN48213", "31284NH", 1),
        ("HN48213", "48213", 1),
        ("HN48213", "P-48213", 1),
        ("HN4821", "P4821", 0),
    ],
)
def test_header_exposures__sample_names_in_another_spelling(original: str, kept: str, n: int) -> None:
    line = f"{COMMON} GT 0/1"
    assert _found(_audit([line], [line], samples=(original,), names=(kept,))).get("samples_kept", 0) == n


def test_checks__have_one_name_each() -> None:
    assert len(CHECKS) >= 61
    assert all(name == check.name for name, check in CHECKS.items())


def test_judge_scan__a_record_without_alt_at_a_masked_position_stays_its_own() -> None:
    """The masked record looks as the other one did: each is still judged against its own."""
    other = "chr1 100 rs7 A . . PASS AF=0.4 GT 0/0 0/1"
    audit = _audit(
        [f"{RARE} GT 0/1 0/0", other],
        [f"{CLEAN[0]} GT ./. ./.", other],
        samples=("S1", "S2"),
        names=("a1", "b2"),
    )
    assert _found(audit) == {}
