"""Measures of the VCF verifier."""

from core.measures.measure import Measure

PUBLISHED = "Published rule for masking VCF files: header, short tandem repeats, rare variants"
OURS = "AnonAudit"
LIN = "Lin, Owen and Altman, Genomic research and human subject privacy, Science 305, 2004"
KING = (
    "Manichaikul et al., Robust relationship inference in genome-wide association studies, "
    "Bioinformatics 26, 2010"
)
BEACON = (
    "Shringarpure and Bustamante, Privacy risks from genomic data-sharing beacons, AJHG 97, 2015; Raisaro et "
    "al., Addressing beacon re-identification attacks, JAMIA 24, 2017"
)

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
    Measure(
        key="n_common_alleles",
        label="Common alleles that remain",
        unit="number",
        better="lower",
        definition="ALT alleles that the anonymized file still names and whose frequency is 5 % to 95 %: as "
        "INFO states it, else as the original states it for the site, else counted where 20 samples have a "
        "genotype.",
        source=OURS,
    ),
    Measure(
        key="n_independent_variants",
        label="Independent common variants",
        unit="number",
        better="lower",
        definition="Windows of 1,000,000 bases on autosomes that hold a common variant of one base. As a "
        "rule of thumb 30 to 80 independent ones single a person out.",
        source=LIN,
    ),
    Measure(
        key="match_exponent",
        label="Chance match, negative power of ten",
        unit="number",
        better="lower",
        definition="−log₁₀ of the probability that two unrelated people have the same genotypes at the most "
        "variable common variant of each window: the product of p⁴ + (2pq)² + q⁴.",
        source=LIN,
    ),
    Measure(
        key="n_singleton_alleles",
        label="Rare alleles of one donor",
        unit="number",
        better="lower",
        definition="Rare alleles (below the threshold) that the anonymized file still names and that exactly "
        "one of its samples carries; of all rare alleles that it names.",
        source=OURS,
    ),
    Measure(
        key="fewest_questions",
        label="Fewest questions to tell a member",
        unit="number",
        lower=1,
        better="higher",
        definition="For the sample where they are fewest: how many of its alleles, the rarest first, have to "
        "be asked for (“is it in the file?”) until a person outside the file of N samples would be told only "
        "yes with 5 % probability at most, the product of 1 − (1 − f)^(2N). f is the file's own frequency.",
        source=BEACON,
    ),
    Measure(
        key="kinship",
        label="Closest kinship with the panel",
        unit="number",
        lower=None,
        upper=0.5,
        better="lower",
        definition="KING-robust kinship of the closest pair of a sample of the file and one of the panel, "
        "over the common variants of one base on autosomes that both have, at which both have a genotype: "
        "(N_het,het − 2 N_hom,opposite) / 2N + 1/2 − (N_i + N_j) / 4N, N the smaller of N_i and N_j. Above "
        "0.354 the same person, above 0.177, 0.0884 and 0.0442 relatives of the first, second and third "
        "degree.",
        source=KING,
    ),
)
