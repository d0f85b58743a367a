"""Checks of masked sites."""

from __future__ import annotations

from core.vcf.checks.check import FAIL, WARN, Check
from core.vcf.sites import Mark

MASKED = "{n} of {of} masked sites "

SITE_CHECKS = (
    Check(
        "masked_in_name_only",
        "Masked in name only",
        FAIL,
        MASKED + "count as masked only because a symbolic allele such as <NON_REF> holds the letter "
        "N; no base was replaced.",
        "Write N or “.” in place of the whole ALT column at these sites.",
        Mark.NAME_ONLY,
    ),
    Check(
        "allele_respelled",
        "Allele in another spelling",
        FAIL,
        MASKED + "have another ALT that still names the allele: in lower case, inside a symbolic allele, "
        "beside an N, by an ambiguity code, with other padding, or with REF and ALT exchanged.",
        "Write N or “.” in place of the whole ALT column at these sites.",
        Mark.RESPELLED,
    ),
    Check(
        "frequency_only",
        "Success through INFO alone",
        WARN,
        MASKED + "count as masked only because INFO lost its frequency or the frequency was raised; "
        "ALT still names the allele.",
        "Blank ALT at these sites too.",
        Mark.INFO_ONLY,
    ),
    Check(
        "unmasked_duplicate",
        "Unmasked record at a masked site",
        FAIL,
        MASKED + "have another record at the same position that still names the allele.",
        "Mask every record at these sites that names the allele.",
        Mark.DUPLICATE,
    ),
    Check(
        "public_id",
        "ID gives the allele back",
        FAIL,
        MASKED
        + "keep an ID of a public database (such as dbSNP), in the ID column, INFO or FILTER, or one that "
        "spells the allele out. INFO that names the allele itself is counted there only.",
        "Blank ID at these sites, and the INFO fields that hold identifiers: bcftools annotate -x ID,INFO/…",
        Mark.PUBLIC_ID,
    ),
    Check(
        "other_id",
        "Other ID kept",
        WARN,
        MASKED + "keep another identifier in the ID column, which may lead to the allele.",
        "Blank ID at these sites: bcftools annotate -x ID.",
        Mark.OTHER_ID,
    ),
    Check(
        "allele_in_info",
        "Allele in INFO",
        FAIL,
        MASKED + "still hold the allele in INFO or FILTER: an annotation (CSQ, ANN, HGVS) or its text in a "
        "field, in either case, percent-encoded or on the other strand.",
        "Blank INFO at these sites, or remove its annotations: bcftools annotate -x INFO/….",
        Mark.INFO_ALLELE,
    ),
    Check(
        "described_in_info",
        "Allele described in INFO",
        WARN,
        MASKED
        + "have INFO fields that describe the allele without naming it: its consequence, scores, class, "
        "or counts of its reads or carriers.",
        "Blank INFO at these sites, or the fields that describe the allele: bcftools annotate -x INFO/….",
        Mark.DESCRIBED,
    ),
    Check(
        "indel_described",
        "Insertion or deletion described",
        WARN,
        MASKED + "are insertions, deletions or symbolic alleles whose REF is longer than one base or whose "
        "INFO gives kind, length or end: what is lost or how much is added may follow.",
        "Write the first base alone in REF at these sites; remove END, SVLEN, SVTYPE and CIGAR from INFO.",
        Mark.INDEL,
    ),
    Check(
        "rare_frequency_in_info",
        "Rare frequency in INFO",
        WARN,
        MASKED + "still state a frequency in INFO that is as rare as the allele's; with the position, "
        "a public database names the allele.",
        "Remove frequencies and counts from INFO at these sites: bcftools annotate -x INFO/AF,INFO/AC.",
        Mark.INFO_FREQUENCY,
    ),
    Check(
        "genotype_kept",
        "Genotype still carries the allele",
        FAIL,
        MASKED + "have genotypes that still carry a masked allele's index: who carries the rare "
        "variant is still told.",
        "Write ./. for every sample at these sites, carriers and others alike.",
        Mark.GENOTYPE,
    ),
    Check(
        "depth_betrays",
        "Depth fields betray the carrier",
        WARN,
        MASKED + "have per-sample fields (AD, PL, GL, GP, DS, PS and the like) that show who carries the "
        "masked allele.",
        "Keep GT alone, blank for every sample, at these sites: bcftools annotate -x ^FORMAT/GT.",
        Mark.DEPTH,
    ),
    Check(
        "carriers_blanked",
        "Only carriers blanked",
        FAIL,
        MASKED + "have genotypes in which the carriers alone were blanked: the blank tells who carries.",
        "Write the same text for every sample at these sites.",
        Mark.BLANKED_CARRIERS,
    ),
    Check(
        "sample_fields_kept",
        "Other fields of samples",
        WARN,
        MASKED + "have per-sample fields whose meaning is not known here; they may tell the allele or "
        "its carrier.",
        "Keep GT alone, blank for every sample, at these sites: bcftools annotate -x ^FORMAT/GT.",
        Mark.SAMPLE_FIELDS,
    ),
    Check(
        "allele_in_samples",
        "Allele in the samples",
        FAIL,
        MASKED + "have a sample whose fields spell the allele out (PID, such as 1005_A_G; TGT, such as A/G) "
        "or give the repeat's length (REPCN, GB and the like).",
        "Keep GT alone, blank for every sample, at these sites: bcftools annotate -x ^FORMAT/GT.",
        Mark.SAMPLE_ALLELE,
    ),
    Check(
        "phased_neighbour",
        "Neighbour's phasing identifier",
        FAIL,
        MASKED + "are named by a phasing identifier (PID) in another record, which spells their "
        "allele out and tells who carries it.",
        "Remove phasing identifiers from the whole file: bcftools annotate -x FORMAT/PID,FORMAT/PGT.",
        Mark.PHASED,
    ),
    Check(
        "repeat_in_masked_alt",
        "Repeat still in the masked ALT",
        FAIL,
        MASKED + "still hold the repeat, or half its copies, in the ALT that counts as masked.",
        "Write one N in place of the whole ALT column at these sites.",
        Mark.REPEAT_IN_ALT,
    ),
    Check(
        "repeat_length_kept",
        "Repeat length kept",
        FAIL,
        MASKED
        + "have a masked ALT from which the repeat's length, which identifies, can be counted: as many "
        "letters as the repeat has bases or copies, or a number.",
        "Write one N, or the same number of Ns everywhere, in place of ALT at these sites.",
        Mark.REPEAT_LENGTH,
    ),
    Check(
        "allele_in_ref",
        "Allele in REF",
        FAIL,
        MASKED + "have a changed REF that now holds the masked allele.",
        "Write the reference genome’s base in REF at these sites.",
        Mark.REFERENCE,
    ),
    Check(
        "repeat_described",
        "Repeat described beside ALT",
        WARN,
        MASKED + "show the repeat in REF or describe it in INFO (unit, copies, length, end), from "
        "which the masked length may follow.",
        "Write the first base alone in REF at these sites, and blank INFO.",
        Mark.REPEAT_DESCRIBED,
    ),
)
