"""Tables, charts, sentences and the report of the VCF verifier."""

from core.vcf.donor.document import donor_document, donor_findings
from core.vcf.outcomes import run_verdict
from core.vcf.views.donors import (
    DONOR_LIMITS,
    DONOR_MEASURE_KEYS,
    donor_figures,
    donor_headline,
    donor_tables,
    relatives_table,
    samples_table,
)
from core.vcf.views.frequencies import SMALLEST_MAF, maf_chart, maf_table
from core.vcf.views.positions import density_chart, density_table
from core.vcf.views.report import figures, file_charts, findings, vcf_report
from core.vcf.views.tables import (
    bed_of_unmasked,
    csv_of_unmasked,
    exposure_table,
    files_table,
    motif_table,
    run_table,
    severity_table,
    unmasked_table,
)
from core.vcf.views.words import LIMITS, MEASURE_KEYS, QUESTION, TITLE, headline, run_headline
