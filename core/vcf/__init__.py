"""Was the genome file really masked? Site by site, and what would still give it away.

`scan_pair` reads both files once; `judge_scan` applies a MAF threshold to what was read.
"""

from core.vcf.candidates import Candidates, Mark, Tally
from core.vcf.checks import ALL_CHECKS, CHECKS, Check
from core.vcf.csv_report import REPORT_NAME, render_findings, render_report, render_summary, write_reports
from core.vcf.donor import DonorAudit, judge_donors
from core.vcf.exposure import Exposure, check_severities
from core.vcf.files import VcfFile
from core.vcf.judging import Targets, VcfAudit, find_targets, judge_scan
from core.vcf.measuring import VcfScan, scan_pair
from core.vcf.outcomes import PairOutcome, ScanOutcome, audit_vcf, judge_outcome, run_scan
from core.vcf.pairing import (
    Level,
    Pairing,
    VcfPair,
    files_of_folders,
    is_vcf_name,
    level_of,
    original_name,
    pair_files,
    pair_folders,
    split_uploads,
)
from core.vcf.releases import beside_each_other
from core.vcf.running import (
    MeasuredPair,
    default_jobs,
    look_for_donors,
    measure_pair,
    run_pairs,
    scan_pairs,
)
from core.vcf.settings import MAF_LIMIT, VcfSettings
