"""What the remaining variants tell of the donors; see :mod:`core.vcf.donor`."""

from core.vcf.checks.check import FAIL, NOT_ASSESSED, WARN, Check
from core.verdict import Verdict

DONOR_CHECKS = (
    Check(
        "donor_in_panel",
        "Same donor in the panel",
        FAIL,
        "{n} of {of} samples of the file are also in {panel}, whatever they are called there: kinship above "
        "0.354 (identical twins look the same). First: {pairs}.",
        "Leave these donors out, or do not release the file where the panel can be had; masking rare "
        "variants does not help.",
    ),
    Check(
        "relative_in_panel",
        "Relative in the panel",
        WARN,
        "{n} of {of} samples of the file have a relative in {panel} ({degrees}). First: {pairs}.",
        "Ask whether the donors agreed that relatives may find them; only leaving common genotypes out hides "
        "the kinship.",
    ),
    Check(
        "panel_not_comparable",
        "Panel too little alike to compare",
        NOT_ASSESSED,
        "The file and {panel} share {n_sites} common variants in {n_windows} windows of 100,000 bases, and "
        "have {of} and {n_panel} samples: too little to tell whether a donor or a relative is in both.",
        "Give a panel with genotypes of the same reference build, and with more of this file's variants.",
    ),
    Check(
        "rare_of_one_donor",
        "Rare alleles of one donor",
        WARN,
        "{n} of {of} alleles rarer than {threshold} that the file still names are carried by one sample "
        "alone; {n_donors} of {n_samples} samples have one or more, at most {most}.",
        "Mask the records that still name them, or use a higher threshold.",
    ),
    Check(
        "membership",
        "Membership by asking",
        Verdict.PASS,
        "Whoever has a donor's genome, and may only ask which alleles the file holds, can tell of {n} of "
        "{of} donors that they are in it, with 5 % false alarms. The fewest questions are {fewest}, the "
        "median is {median}.",
        "Answer questions about alleles only to people who are bound by an agreement.",
    ),
    Check(
        "common_remaining",
        "Common variants that remain",
        Verdict.PASS,
        "{n} of {of} ALT alleles that the file names are common (5 % to 95 %), and {n_independent} windows "
        "of a million bases hold a common variant of one base. {meaning}",
        "Share the file under an agreement, or without genotypes: masking rare variants leaves these.",
    ),
    Check(
        "panel_compared",
        "Panel compared",
        Verdict.PASS,
        "The file and {panel} share {n_sites} common variants in {n_windows} windows of 100,000 bases; in "
        "{n_pairs} pairs of samples, kinship from {least} on is told from chance.",
        "Compare further panels that others may have.",
    ),
)
