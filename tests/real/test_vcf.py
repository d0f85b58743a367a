"""Real VCF files, masked properly in the usual styles, must not FAIL."""

from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from core.vcf.outcomes import judge_outcome, run_scan
from core.vcf.pairing import VcfPair
from core.vcf.settings import VcfSettings
from core.verdict import Verdict
from tests.real.conftest import REAL_DIR
from tests.vcf_masker import How, mask

VCF_DIR = REAL_DIR / "vcf"
FILES = sorted(path for path in VCF_DIR.glob("*") if path.suffix != ".tsv") if VCF_DIR.is_dir() else []
THRESHOLDS = (0.01, 0.3)
HOWS: tuple[How, ...] = get_args(How)
UNREADABLE = {  # by htslib, so that nobody can tell what has to be masked
    "SnpEff__tests_integration_hgvsDnaDup_hgvs_dup.vcf",
    "SnpEff__tests_old_mt.vcf",
    "htsjdk__src_test_resources_htsjdk_variant_Homo_sapiens_assembly38.tile_db_header.vcf",
    "vcf-validator__test_input_files_v4.4_failed_failed_body_chrom_000.vcf",
    "vcflib__samples_test_variant_drop.vcf",
    "vcfpy__tests_vcfs_from_the_wild_metadata-whitespace.vcf",
}


def _cases() -> list[object]:
    """Return every file in every style at every threshold."""
    readable = [path for path in FILES if path.name not in UNREADABLE]
    return [
        pytest.param(*case, id="-".join(map(str, (case[0].name, *case[1:]))))
        for case in product(readable, HOWS, THRESHOLDS)
    ]


@pytest.mark.skipif(not FILES, reason=f"real files are not in {VCF_DIR}; set REAL_DIR")
def test_real_files__are_found() -> None:
    assert len(FILES) >= 96
    assert {path.name for path in FILES} >= UNREADABLE


@pytest.mark.one_of(5)
@pytest.mark.parametrize(("path", "how", "threshold"), _cases())
def test_proper_masking__does_not_fail(path: Path, how: How, threshold: float) -> None:
    masked = mask(path, how, threshold=threshold)
    settings = VcfSettings(maf_threshold=threshold)
    pair = VcfPair(original=masked.original, anonymized=masked.anonymized, level="high")
    audit = judge_outcome(run_scan(pair, settings), settings).audit
    assert audit is not None
    assert audit.verdict is Verdict.PASS
    assert [one.message for one in audit.exposure if one.verdict is Verdict.FAIL] == []
    assert audit.n_variant_targets <= masked.n_targets


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.name in UNREADABLE], ids=lambda path: path.name
)
def test_mask__refuses_what_htslib_cannot_read(path: Path) -> None:
    with pytest.raises((ValueError, OSError)):
        mask(path, "records")
