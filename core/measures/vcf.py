"""Measures of the VCF verifier."""

from core.measures.measure import Measure

PUBLISHED = "Published rule for masking VCF files: header, short tandem repeats, rare variants"
OURS = "AnonAudit"

MEASURES = (
    Measure(
        key="vcf_masked_share",
        label="Masked targets",
        unit="share",
        upper=1,
        better="higher",
        definition="Header lines and variant sites that count as masked by the published rule, divided by "
        "all that have to be masked; 1 when nothing has to be.",
        source=PUBLISHED,
    ),
    Measure(
        key="n_metadata_targets",
        label="Header lines to mask",
        unit="number",
        upper=2,
        better="neither",
        definition="How many of the original's two identifying header lines (##cmdline, ##reference) exist.",
        source=PUBLISHED,
    ),
    Measure(
        key="n_metadata_masked",
        label="Header lines masked",
        unit="number",
        upper=2,
        better="higher",
        definition="How many of these are masked: ##cmdline=. and a ##reference without a slash.",
        source=PUBLISHED,
    ),
    Measure(
        key="n_variant_targets",
        label="Sites to mask",
        unit="sites",
        better="neither",
        definition="Sites (contig and position) of the original with a short tandem repeat in ALT, or else "
        "with a minor allele frequency below the threshold. High level only.",
        source=PUBLISHED,
    ),
    Measure(
        key="n_variant_masked",
        label="Sites masked",
        unit="sites",
        better="higher",
        definition="Target sites that count as masked: a repeat when ALT differs and holds an N; a rare site "
        "when its recomputed frequency is no longer rare, cannot be computed, or ALT is empty.",
        source=PUBLISHED,
    ),
    Measure(
        key="n_missing_sites",
        label="Target sites missing",
        unit="sites",
        better="lower",
        definition="Target sites that the anonymized file does not have at all; they do not count as masked.",
        source=OURS,
    ),
    Measure(
        key="site_maf",
        label="Site minor allele frequency",
        unit="number",
        upper=0.5,
        better="neither",
        definition="From INFO, the first of MAF, AF, AC with AN: min(max(0, 1 − Σf), f₁, f₂, …), the "
        "frequency of the rarest allele of the site, the reference included.",
        source=PUBLISHED,
    ),
)
