"""What the VCF verifier asks for, answers, and cannot tell."""

from core.demo import VCF
from core.measures import vcf as measures_of
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
        ),
    ),
    settings=VcfSettings,
    demos=VCF,
)
