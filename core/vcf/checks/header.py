"""Checks of the header and the sample names."""

from core.vcf.checks.check import FAIL, WARN, Check

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
