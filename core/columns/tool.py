"""What the look at columns asks for, answers, and cannot tell."""

from core.options import EVIDENCE, READING, file_option
from core.tools import Input, Tool

TOOL = Tool(
    key="columns",
    title="Columns",
    section="measure",
    icon=":material/view_column:",
    question="What does each column of a table say of people?",
    limits=("Names and values suggest what a column is; who made the table knows.",),
    measures=(),
    needs="one table of people",
    upload="Upload **one table** of people: CSV, TSV, Excel or Parquet, a record a row.",
    inputs=(
        Input(
            role="table",
            label="The table",
            taken_by=(file_option("table", "the table to look at", metavar="TABLE", is_needed=True),),
        ),
    ),
    options=(*READING, EVIDENCE),
)
