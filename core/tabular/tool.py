"""What the tabular verifier asks for, answers, and cannot tell."""

from core.demo import TABULAR
from core.measures import keys_of
from core.settings.options import (
    BATCH,
    EVIDENCE,
    READING,
    TEXT,
    file_option,
    files_option,
    hidden_option,
    option,
    written_option,
)
from core.tabular.settings import (
    SecondOpinionSettings,
    SecondOpinionThresholds,
    TabularSettings,
    TabularThresholds,
)
from core.tools import Input, Tool

_LIMITS = (
    (
        "The published rule looks for written patterns and believes the log's meaning of a column; a PASS of "
        "the rule alone does not mean that people cannot be recognized."
    ),
    (
        "Sensitive patterns are found by their form: a name or number written in another way may be missed, "
        "and a harmless code that looks like one is counted."
    ),
    (
        "Group sizes speak of the chosen quasi-identifiers only; what an attacker may know besides is "
        "not in them."
    ),
    "Nothing here calls a table anonymous.",
)
TOOL = Tool(
    key="tabular",
    title="Tabular verifier",
    section="verify",
    icon=":material/table_view:",
    question="Does an anonymized table hold what its log claims, and is that enough?",
    limits=_LIMITS,
    measures=keys_of("tabular", "classes"),
    asked="Was this table anonymized as its log says, and is that enough?",
    needs="the original, the anonymized table, and the log",
    upload=(
        "Upload three files for each table: the **original** `visits.csv`, the **anonymized** "
        "`visits_anonymized.csv`, and the **log** of what was done, `visits_anonymized_log.json`. Tables "
        "may be CSV, Excel, Parquet, Feather, JSON lines, SPSS, Stata or SAS; the log may be a table too, "
        "with a line for each column. Without a log, one is made here from both tables."
    ),
    inputs=(
        Input(
            role="files",
            label="Originals, anonymized tables and logs, all together",
            kind="files",
            help="Files are paired by their names; others can be paired by hand.",
            taken_by=(
                files_option(
                    "originals",
                    "original tables, or folders of them; xxx.csv needs xxx_anonymized.csv and "
                    "xxx_anonymized_log.json; with --log the original and the anonymized table",
                    metavar="ORIGINAL",
                    in_engine=True,
                ),
                option(
                    "--log",
                    "the log of an original and an anonymized table that are named before it",
                    metavar="LOG",
                ),
                file_option(
                    "--anonymized-dir",
                    "where anonymized tables and logs are (default: where the original is)",
                    metavar="DIR",
                ),
                option(
                    "--pair",
                    "three files that belong together whatever they are called; repeatable",
                    use="input",
                    n_values=3,
                    adds_up=True,
                    metavar="ORIGINAL,ANONYMIZED,LOG",
                ),
                hidden_option("--not-verified", n_values=2),
                written_option(
                    "--propose-log",
                    "verify nothing: compare an original and an anonymized table, and write a log of what "
                    "seems to have been done to each column, to correct and give with --log",
                ),
            ),
        ),
    ),
    settings=TabularSettings,
    thresholds=TabularThresholds,
    demos=TABULAR,
    by_file=True,
    forms=(TabularSettings, SecondOpinionSettings, TabularThresholds, SecondOpinionThresholds),
    options=(
        written_option(
            "--report-dir",
            "where the CSV report goes (default: reports; with --json no file unless given)",
            metavar="DIR",
        ),
        option(
            "--headers",
            "language of the CSV report's header",
            choices=dict.fromkeys(("ko", "en"), ""),
            default="ko",
        ),
        *TEXT,
        *READING,
        EVIDENCE,
        *BATCH,
    ),
)
