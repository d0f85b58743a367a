"""Every count of the VCF verifier against figures from an independent verifier."""

import json
from pathlib import Path

import pysam
import pytest

from core.errors import AuditInputError
from core.vcf.files import VcfFile
from core.vcf.judging import judge_scan
from core.vcf.measuring import scan_pair
from core.vcf.pairing import VcfPair, level_of
from core.vcf.settings import VcfSettings
from tests.golden.conftest import GOLDEN_DIR

EXPECTED = GOLDEN_DIR / "vcf" / "expected.json"
CASES = json.loads(EXPECTED.read_text()) if EXPECTED.is_file() else {}


def _file(folder: Path, name: str, scratch: Path) -> VcfFile:
    if (folder / name).is_file() and name.endswith(".gz"):
        return VcfFile(name=name, path=folder / name)
    target = scratch / name
    if not target.exists():
        pysam.tabix_compress(str(folder / name.removesuffix(".gz")), str(target))
    return VcfFile(name=name, path=target)


def _pair(case: str, anonymized: str, golden_dir: Path, scratch: Path) -> VcfPair:
    folder = golden_dir / "vcf" / case
    original = Path(CASES[case]["origin"]).name
    return VcfPair(
        original=_file(folder, original if original.endswith(".gz") else f"{original}.gz", scratch),
        anonymized=_file(folder, anonymized, scratch),
        level=level_of(anonymized),
    )


def test_golden_cases__are_found(golden_dir: Path) -> None:
    assert len(CASES) == 48


@pytest.mark.parametrize("case", CASES)
def test_scan_pair__counts_equal_golden_figures(case: str, golden_dir: Path, tmp_path: Path) -> None:
    for expected in CASES[case]["results"]:
        pair = _pair(case, expected["anonymized"], golden_dir, tmp_path)
        settings = VcfSettings(maf_threshold=expected["maf"])
        if "error" in expected:
            with pytest.raises(AuditInputError):
                scan_pair(pair, settings)
            continue
        audit = judge_scan(scan_pair(pair, settings), settings)
        wanted = dict(expected["row"])
        # By design, a site that is missing from the anonymized file is listed by ours.
        missing = set(audit.scan.candidates.places(audit.missing))
        listed = _positions(wanted.pop("unmasked_positions")) | missing
        row = audit.report_row()
        assert _positions(row.pop("unmasked_positions")) == listed, (expected["anonymized"], expected["maf"])
        assert row == wanted, (expected["anonymized"], expected["maf"])


def _positions(text: object) -> set[str]:
    return set(str(text).split(";")) - {"-"}


@pytest.mark.parametrize("case", [case for case in CASES if CASES[case]["targets"]["0.01"] is not None])
def test_find_targets__equal_golden_targets(case: str, golden_dir: Path, tmp_path: Path) -> None:
    anonymized = next(result["anonymized"] for result in CASES[case]["results"])
    scan = scan_pair(_pair(case, f"{anonymized}", golden_dir, tmp_path), VcfSettings())
    for threshold, wanted in CASES[case]["targets"].items():
        audit = judge_scan(scan, VcfSettings(maf_threshold=float(threshold)))
        if audit.scan.level == "low":
            continue
        kinds = ["STR" if repeat else "MAF" for repeat in audit.targets.is_repeat.tolist()]
        places = audit.targets.candidates
        names = [scan.candidates.contig_names[i] for i in scan.candidates.contigs[places].tolist()]
        found = list(zip(names, scan.candidates.positions[places].tolist(), kinds, strict=True))
        assert sorted(found) == sorted(map(tuple, wanted)), threshold
