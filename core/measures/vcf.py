"""Measures of the VCF verifier."""

from core.measures.measure import Measure

_PUBLISHED = "Published rule for masking VCF files: header, short tandem repeats, rare variants"
_LIN = "Lin, Owen and Altman, Genomic research and human subject privacy, Science 305, 2004"
KING = (
    "Manichaikul et al., Robust relationship inference in genome-wide association studies, "
    "Bioinformatics 26, 2010"
)
_BEACON = (
    "Shringarpure and Bustamante, Privacy risks from genomic data-sharing beacons, AJHG 97, 2015; Raisaro et "
    "al., Addressing beacon re-identification attacks, JAMIA 24, 2017"
)

MEASURES = (
    Measure("vcf_masked_share", "Masked targets", "share", "higher", _PUBLISHED).means(
        "Header lines and variant sites that count as masked by the published rule, divided by all that "
        "have to be; 1 when nothing has to be."
    ),
    Measure("n_metadata_targets", "Header lines to mask", "number", "neither", _PUBLISHED, upper=2).means(
        "How many of the original's two identifying header lines (##cmdline, ##reference) exist."
    ),
    Measure("n_metadata_masked", "Header lines masked", "number", "higher", _PUBLISHED, upper=2).means(
        "How many of these are masked: ##cmdline=. and a ##reference without a slash."
    ),
    Measure("n_variant_targets", "Sites to mask", "sites", "neither", _PUBLISHED).means(
        "Sites (contig and position) of the original with a short tandem repeat in ALT, or else a minor "
        "allele frequency below the threshold; high level only."
    ),
    Measure("n_variant_masked", "Sites masked", "sites", "higher", _PUBLISHED).means(
        "Target sites that count as masked: a repeat whose ALT differs and holds an N; a rare site whose "
        "recomputed frequency is no longer rare or cannot be computed, or whose ALT is empty."
    ),
    Measure("n_missing_sites", "Target sites missing", "sites", "lower").means(
        "Target sites that the anonymized file does not have at all; they do not count as masked."
    ),
    Measure("site_maf", "Site minor allele frequency", "number", "neither", _PUBLISHED, upper=0.5).means(
        "From the first of MAF, AF, AC with AN in INFO: min(max(0, 1 − Σf), f₁, f₂, …), the frequency of "
        "the site's rarest allele, the reference included."
    ),
    Measure("n_common_alleles", "Common alleles that remain", "number", "lower").means(
        "ALT alleles that are still named and whose frequency is 5 % to 95 %: by INFO, else by the "
        "original's for the site, else counted where 20 samples have a genotype."
    ),
    Measure("n_independent_variants", "Independent common variants", "number", "lower", _LIN).means(
        "Windows of 1,000,000 bases on autosomes that hold a common variant of one base; as a rule of thumb"
        " 30 to 80 independent ones single a person out."
    ),
    Measure("match_exponent", "Chance match, negative power of ten", "number", "lower", _LIN).means(
        "−log₁₀ of the probability that two unrelated people have the same genotypes at the most variable "
        "common variant of each window: the product of p⁴ + (2pq)² + q⁴."
    ),
    Measure("n_singleton_alleles", "Rare alleles of one donor", "number", "lower").means(
        "Alleles rarer than the threshold that the anonymized file still names and exactly one of its "
        "samples carries; of all rare alleles that it names."
    ),
    Measure(
        "fewest_questions", "Fewest questions to tell a member", "number", "higher", _BEACON, lower=1
    ).means(
        "How many alleles, the rarest first, have to be asked for (“is it in the file?”) until a person "
        "outside the file of N samples would be told only yes with 5 % probability at most, the product of "
        "1 − (1 − f)^(2N), f the file's own frequency; for the sample where they are fewest."
    ),
    Measure(
        "kinship", "Closest kinship with the panel", "number", "lower", KING, lower=None, upper=0.5
    ).means(
        "KING-robust kinship of the closest pair of a sample of the file and one of the panel, over the "
        "common autosomal variants of one base at which both have a genotype: (N_het,het − 2 "
        "N_hom,opposite) / 2N + 1/2 − (N_i + N_j) / 4N, N the smaller of N_i and N_j. Above 0.354 the same "
        "person, above 0.177, 0.0884 and 0.0442 relatives of the first, second and third degree."
    ),
)
