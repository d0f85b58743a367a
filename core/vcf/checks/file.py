"""Checks of neighbouring records, of the file as a whole, of its header and sample names, and of donors."""

from core.vcf.checks.case import FAIL, NOT_ASSESSED, WARN, Check
from core.verdict import Verdict
from core.words import text

_POPULATION = (
    "Give the original the frequencies of a population, such as those of gnomAD (bcftools annotate -a FILE "
    "-c INFO/AF), and mask it again; frequencies counted in the file itself tell nothing of how rare a "
    "variant is."
)

FILE_CHECKS = (
    Check(
        "phased_neighbour",
        "Neighbour's phasing identifier",
        FAIL,
        "{n} of {of} masked sites are named by a phasing identifier (PID) in another record, which spells "
        "their allele out and tells who carries it.",
        "Remove phasing identifiers from the whole file: bcftools annotate -x FORMAT/PID,FORMAT/PGT.",
    ),
    Check(
        "phase_set_neighbour",
        "Neighbour's phase set",
        WARN,
        "{n} of {of} masked sites are named by a phase set (PS, HP) in another record: who is heterozygous "
        "at the site is told.",
        "Remove phase sets from the whole file: bcftools annotate -x FORMAT/PS,FORMAT/HP.",
    ),
    Check(
        "star_neighbour",
        "Deletion told by a record inside it",
        FAIL,
        "{n} of {of} masked sites are deletions inside which another record has the allele *, which says "
        "that, and in whom, bases are missing there.",
        "Mask the records with the allele * inside masked deletions as well.",
    ),
    Check(
        "mate_kept",
        "Mate of a masked breakend",
        FAIL,
        "{n} of {of} masked sites are breakends whose mate, in another record, still points at them.",
        "Mask the mates as well.",
    ),
    Check(
        "allele_elsewhere",
        "Allele in another record",
        FAIL,
        "{n} of {of} masked sites are rare variants whose allele stands in another record, which was not "
        "masked: at the same position, with bases before or behind it, as a part of a longer substitution, "
        "or on the contig's other name (1, chr1).",
        "Write each change once before masking (bcftools norm -d exact -f REFERENCE), or mask every record "
        "that names it.",
    ),
    Check(
        "repeat_elsewhere",
        "Repeat's change in another record",
        WARN,
        "{n} of {of} masked sites are repeats of which an overlapping record, which was not masked, makes "
        "the same change: one of their lengths is told.",
        "See whether these records have to be masked too.",
    ),
    Check(
        "named_elsewhere",
        "Named by a field of another record",
        FAIL,
        "{n} of {of} masked sites are named by a field of another record: by the site's identifier (such as "
        "rs123), or by its position with the allele.",
        "Remove the fields that name other records from the whole file: bcftools annotate -x.",
    ),
    Check(
        "samples_in_records",
        "Samples' names in the records",
        FAIL,
        "{n} of {of} values looked at in the records of the anonymized file hold the name of a sample of the "
        "original, in {fields}.",
        "Remove these fields from the whole file: bcftools annotate -x.",
    ),
    Check(
        "people_in_records",
        "People or files in the records",
        FAIL,
        "{n} of {of} values looked at in the records of the anonymized file are in fields that speak of "
        "people or name files: {fields} (numbers of persons or patients, names, addresses, paths).",
        "Remove these fields from the whole file: bcftools annotate -x.",
    ),
    Check(
        "rare_by_another_frequency",
        "Rare by another frequency",
        WARN,
        "{n} of {of} records of the anonymized file had not to be masked by the frequency that decides, and "
        "state another one, of a whole population, that is below the threshold.",
        "See which of the two is of the people that the receiver would compare with; mask by that one "
        "(bcftools annotate -c INFO/AF:=INFO/…).",
    ),
    Check(
        "something_new",
        "Something new",
        WARN,
        "{n} of {of} records of the anonymized file hold something that is neither the original's nor a "
        "blank, in {columns}: what is new can hold anything, such as a code for what was masked.",
        "Leave there what the original has, or write “.”; in ALT one N or “.”, in FORMAT GT.",
    ),
    Check(
        "blank_in_several_ways",
        "Blank in several ways",
        WARN,
        "What was taken away is blank in one way here and in another there, or left at some records, in "
        "{columns}: which way it is can be a code.",
        "Write the same in the place of what was masked at all sites; take fields out of all records, or of "
        "none.",
    ),
    Check(
        "extra_columns",
        "Text beyond the last column",
        FAIL,
        "{n} of {of} records of the anonymized file hold text beyond the columns that the header announces, "
        "which programs do not show.",
        "Remove what stands after the last sample: bcftools view writes the announced columns only.",
    ),
    Check(
        "repeat_not_named",
        "Repeats that the rule does not name",
        WARN,
        "{n} of {of} original records with an ALT show a repeat in a form that the published rule does not "
        "look for, and still do so in the anonymized file: as a number of copies (<STR35>, REPCN), in small "
        "letters, of a longer motif, or shortened.",
        "See whether these have to be masked too.",
    ),
    Check(
        "repeat_neighbour",
        "Neighbouring record shows the repeat",
        FAIL,
        "{n} of {of} masked sites have an unmasked repeat of the same motif within {window} bases, from "
        "which the masked length may follow.",
        "Mask the repeats beside these sites as well.",
    ),
    Check(
        "sole_carrier",
        "Rare allele of one donor",
        WARN,
        "{n} of {of} rare or repeat sites still name their rarest allele, which exactly one sample carries: "
        "each can single that donor out.",
        "Blank the genotypes at these sites, or mask them as well.",
    ),
    Check(
        "original_itself",
        "The original itself",
        FAIL,
        "The anonymized file is the original: header, samples and records are the same.",
        "See whether the right file was taken; mask it.",
    ),
    Check(
        "records_removed",
        "Records removed",
        WARN,
        "{n} of {of} records of the original are not in the anonymized file.",
        "Ask why these records were removed; a masked record stays in its place.",
    ),
    Check(
        "records_added",
        "Records added",
        WARN,
        "{n} of {of} records of the anonymized file are not in the original.",
        "Ask where these records come from; masking adds none.",
    ),
    Check(
        "repeats_added",
        "Added records with repeats",
        FAIL,
        "{n} of {of} records of the anonymized file stand at sites that the original lacks and hold a short "
        "tandem repeat: a moved record is not masked.",
        "Remove these records.",
    ),
    Check(
        "added_neighbour",
        "Added record near a masked site",
        FAIL,
        "{n} of {of} masked sites have within {window} bases a record that the original lacks and that "
        "names an allele: a moved record is not masked.",
        "Remove the added records beside these sites.",
    ),
    Check(
        "rare_added",
        "Added records that are rare",
        FAIL,
        "{n} of {of} records of the anonymized file stand at sites that the original lacks, name an allele, "
        "and are rare by their own INFO: a moved record is not masked.",
        "Remove these records.",
    ),
    Check(
        "alleles_shown",
        "Allele shown that the original hides",
        FAIL,
        "{n} of {of} records of the anonymized file name an allele or show a repeat where the original "
        "shows none: are the original and the anonymized file exchanged?",
        "See whether the original and the anonymized file are exchanged; mask these records.",
    ),
    Check(
        "level_assumed",
        "Level not in the file name",
        NOT_ASSESSED,
        "The file's name begins with none of high_, strong_, low_ and weak_, written so; the low level was "
        "assumed and no variant was verified.",
        "Name the file high_… or low_…, and verify again.",
    ),
    Check(
        "variants_not_verified",
        "Variants left by the low level",
        WARN,
        "{n} of {of} rare or repeat sites still name their allele. The low level asks for the header only, "
        "and each can help to find the donor.",
        "Mask these sites and release the file at the high level.",
    ),
    Check(
        "records_reordered",
        "Records reordered",
        WARN,
        "{n} of {of} records of the anonymized file stand in another order than in the original.",
        "Put the records in the original’s order.",
    ),
    Check(
        "genotypes_changed",
        "Genotypes changed",
        WARN,
        "{n} of {of} records have other genotypes than in the original.",
        "Ask why these genotypes were changed; masking changes them at masked sites alone.",
    ),
    Check(
        "reference_changed",
        "REF changed",
        WARN,
        "{n} of {of} records differ from the original in REF.",
        "Ask why REF was changed at these records.",
    ),
    Check(
        "nothing_to_verify",
        "Nothing to verify",
        NOT_ASSESSED,
        "Nothing in the original has to be masked by the published rule; 100.00%(0/0) says nothing.",
        "See whether this is the right original.",
    ),
    Check(
        "declaration_hides_frequency",
        "Declaration hides frequencies",
        NOT_ASSESSED,
        "{n} of {of} original records with an ALT have a frequency that the header makes unreadable by its "
        "declaration (MAF as text, flag or list, AN as a list); they are no targets and were not assessed.",
        "Declare MAF and AF as Float and AN as one Integer in the original’s header, and verify again.",
    ),
    Check(
        "frequency_unknown",
        "No frequency in INFO",
        WARN,
        "{n} of {of} original records with an ALT have no frequency in INFO; whether they are rare was not "
        "assessed.",
        _POPULATION,
    ),
    Check(
        "no_frequency_at_all",
        "No frequencies at all",
        NOT_ASSESSED,
        "None of {of} original records with an ALT has a frequency in INFO; rare variants could not be "
        "assessed.",
        _POPULATION,
    ),
    Check(
        "frequencies_own",
        "Frequencies of the file’s own donors",
        NOT_ASSESSED,
        "{n} of {of} original records looked at have a frequency counted in the file’s own genotypes, of at "
        "most {alleles} alleles: no variant that somebody carries can be below {threshold}, however rare it "
        "is, and rare variants could not be assessed.",
        _POPULATION,
    ),
    Check(
        "some_frequencies_own",
        "Some frequencies of the file’s own donors",
        WARN,
        "{n} of {of} original records looked at have a frequency counted in the file’s own genotypes, of at "
        "most {alleles} alleles: no variant that somebody carries can be below {threshold} there, and "
        "whether these are rare was not assessed.",
        _POPULATION,
    ),
    Check(
        "bytes_unread",
        "Bytes that nobody reads",
        FAIL,
        text(
            "{n} place of the anonymized file holds bytes that no reader shows: extra fields, kinds or times "
            "of compressed blocks, empty blocks, what follows the end marker, what stands behind the fields "
            "of BCF or is left open there, or line ends of two kinds.",
            "{n} places of the anonymized file hold bytes that no reader shows: extra fields, kinds or times "
            "of compressed blocks, empty blocks, what follows the end marker, what stands behind the fields "
            "of BCF or is left open there, or line ends of two kinds.",
        ),
        "Write the file anew: bcftools view -O z -o NEW FILE.",
    ),
    Check(
        "no_records",
        "No records",
        NOT_ASSESSED,
        "Neither the original nor the anonymized file holds a record; only the headers could be compared.",
        "Give the files with their records.",
    ),
)


HEADER_CHECKS = (
    Check(
        "header_command",
        "Commands in the header",
        FAIL,
        "{n} of {of} header lines hold a command line: how and from what the file was made.",
        "Remove these lines, or write “.” as their value: bcftools reheader.",
    ),
    Check(
        "header_source",
        "Source in the header",
        WARN,
        "{n} of {of} header lines name the program or centre that made the file.",
        "Remove these lines: bcftools reheader.",
    ),
    Check(
        "header_date",
        "Date in the header",
        WARN,
        "{n} of {of} header lines hold a date.",
        "Remove these lines: bcftools reheader.",
    ),
    Check(
        "header_person",
        "Sample or pedigree lines",
        FAIL,
        "{n} of {of} header lines describe samples, pedigrees or individuals, or name a sample.",
        "Remove these lines: bcftools reheader.",
    ),
    Check(
        "header_file",
        "Data files in the header",
        FAIL,
        "{n} of {of} header lines name a file of reads or variants, whose name often is a person's.",
        "Remove the file names from these lines: bcftools reheader.",
    ),
    Check(
        "header_allele",
        "Alleles in the header",
        FAIL,
        "{n} of {of} header lines hold a variant or a public database's ID.",
        "Remove these lines: bcftools reheader.",
    ),
    Check(
        "header_leftover",
        "Free text left in the header",
        WARN,
        "{n} of {of} header lines hold free text under a key that is not of the VCF standard, the "
        "original's or new, or something new where the standard defines a contig, a reference or a field, "
        "such as another type; or stand there more often than in the original.",
        "Remove these lines: bcftools reheader.",
    ),
    Check(
        "header_path",
        "File paths in the header",
        FAIL,
        "{n} of {of} header lines hold a file path.",
        "Remove the paths from these lines: bcftools reheader.",
    ),
    Check(
        "header_host",
        "Users or hosts in the header",
        FAIL,
        "{n} of {of} header lines name a user or a computer.",
        "Remove these lines: bcftools reheader.",
    ),
    Check(
        "header_email",
        "E-mail in the header",
        FAIL,
        "{n} of {of} header lines hold an e-mail address.",
        "Remove the addresses from these lines: bcftools reheader.",
    ),
    Check(
        "header_contig_origin",
        "Assembly of contigs",
        WARN,
        "{n} of {of} header lines tell the assembly, checksum or address of a contig's sequence.",
        "Keep ID and length of contigs alone: bcftools reheader.",
    ),
    Check(
        "header_definition",
        "Definition of a masked allele",
        WARN,
        "{n} of {of} header lines define a symbolic allele (##ALT) that only masked records had: of which "
        "kind these are is told.",
        "Remove the definitions that no record uses any more: bcftools reheader.",
    ),
    Check(
        "samples_kept",
        "Sample names kept",
        WARN,
        "{n} of {of} sample names are those of the original, or hold one, in either case.",
        "Give the samples new names: bcftools reheader -s.",
    ),
    Check(
        "samples_identify",
        "Sample names look personal",
        FAIL,
        "{n} of {of} sample names look like a person's name or an identifier, are the original's that do, or "
        "hold signs that nobody sees or tells from others.",
        "Give the samples new names: bcftools reheader -s.",
    ),
)


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
