"""What the VCF verifier asks for, answers, and cannot tell."""

from core.demo import VCF
from core.measures import vcf as measures_of
from core.settings.options import BATCH, MOST_JOBS, file_option, hidden_option, option, switch, written_option
from core.tools import Input, Tool
from core.vcf.settings import VcfSettings

TOOL = Tool(
    key="vcf",
    title="VCF verifier",
    section="verify",
    icon=":material/genetics:",
    question="Was the genome file really masked, and what in it would still give the donor away?",
    limits=(
        (
            "The published rule looks at the header, at short tandem repeats and at rare variants. The "
            "common variants that remain can identify a donor as well: a few dozen are enough."
        ),
        "Rarity is read from INFO. A variant without a frequency there may be rare and is not assessed.",
        (
            "The checks look at this file and its original. What other files, databases or relatives tell is "
            "not in them."
        ),
        "Nothing here calls a file anonymous.",
    ),
    measures=tuple(measure.key for measure in measures_of.MEASURES),
    files_are="pairs",
    asked="Was this genome file really masked, and what would still give the donor away?",
    needs="the original and the anonymized VCF files",
    upload=(
        "Upload the **original** genome files, such as `donor.vcf.gz`, together with the **anonymized** "
        "ones, such as `high_0.01_anony_donor.vcf.gz` or `low_anony_donor.vcf.gz`. Files of gigabytes are "
        "for the command line, or for folders that the server may open."
    ),
    inputs=(
        Input(
            role="files",
            label="Originals and anonymized files, all together",
            kind="files",
            help="VCF compressed with bgzip (.vcf.gz, .vcf.bgz), plain .vcf, or .bcf. No index is needed.",
            taken_by=(
                file_option(
                    "--origin", "folder of the original files", short="-o", metavar="", is_needed=True
                ),
                file_option(
                    "--anony", "folder of the anonymized files", short="-a", metavar="", is_needed=True
                ),
                option(
                    "--pair",
                    "two files that belong together whatever they are called, and high or low; repeatable; "
                    "then no folder is looked into",
                    use="input",
                    n_values=3,
                    adds_up=True,
                    metavar="ORIGINAL,ANONYMIZED,LEVEL",
                ),
                hidden_option("--not-paired"),
            ),
        ),
    ),
    settings=VcfSettings,
    demos=VCF,
    forms=(VcfSettings,),
    options=(
        written_option(
            "--report-dir",
            "where the CSV report goes (default: reports; with --json no file unless given)",
            metavar="",
        ),
        switch(
            "--donors",
            "tell besides what the variants that remain say of the donors; reads the anonymized files again",
        ),
        option(
            "--donors-of",
            "the same for these anonymized files alone",
            use="input",
            is_several=True,
            metavar="NAME",
        ),
        file_option(
            "--panel",
            "another VCF file with genotypes: are the donors, or their relatives, in it? (implies --donors)",
        ),
        option("--jobs", "large pairs at once (default: one per core)", kind=int, least=1, most=MOST_JOBS),
        *BATCH,
    ),
)
