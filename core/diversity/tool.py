"""What the (k, l) search asks for, answers, and cannot tell."""

from core.demo import DEMO_NAMES, DIVERSITY
from core.diversity.settings import DiversitySettings, DiversityThresholds, ModelChoice
from core.measures import keys_of
from core.settings.options import (
    EVIDENCE,
    LEDGER,
    MOST_JOBS,
    READING,
    file_option,
    option,
    switch,
    written_option,
)
from core.tools import EARLIER, Input, Tool

_LIMITS = (
    (
        "k and ℓ hold over the quasi-identifiers you chose, against somebody who knows nothing else. Every "
        "other column is released as it is."
    ),
    (
        "Accuracy is measured on records that were kept. Removing records changes which ones are left to "
        "test on, so compare it with the accuracy on the same records untouched."
    ),
    (
        "The best of many pairs is best partly by luck. The interval says how far an accuracy from so few "
        "records can be off, and the range over other splits how much the choice of split does."
    ),
    "Distinct ℓ counts values, not how close they are or how likely: t and entropy ℓ say more.",
    (
        "Of equally good splits and representatives the first in the order of the records counts, so that "
        "order can matter where there are ties, and only there."
    ),
    "Nothing here calls a table anonymous.",
)
TOOL = Tool(
    key="diversity",
    title="ℓ-diversity search",
    section="anonymize",
    icon=":material/grid_on:",
    question="Which k and ℓ protect the people in your data at an accuracy of your model that you can live "
    "with?",
    limits=_LIMITS,
    measures=keys_of("diversity", "cost", "disclosure", "classes", "releases"),
    asked="Which k and ℓ protect people at an accuracy of my model that I can live with?",
    needs="a table with the label that your model predicts",
    upload=(
        "Upload a **table of people** with the label that your model predicts. The model is trained here on"
        " a part of it, or you bring your own: a fitted scikit-learn model in **skops** format, or a column"
        " with its predictions. Training data need not be available."
    ),
    inputs=(
        Input(
            role="data",
            label="Table to anonymize",
            taken_by=(
                file_option("data", "table to anonymize", metavar="DATA", is_needed=True, excludes="demo"),
            ),
        ),
        Input(
            role="model",
            label="Fitted scikit-learn model in skops format",
            kind="files",
            needed=False,
            help="Saved with skops.io.dump. Pickle and joblib files run code when opened: refused.",
        ),
        Input(
            role="training",
            label="Training table with the same columns",
            needed=False,
            taken_by=(file_option("--train", "table to train on, instead of a split", metavar="TABLE"),),
        ),
        EARLIER,
    ),
    settings=DiversitySettings,
    thresholds=DiversityThresholds,
    demos=DIVERSITY,
    offer="Try public tables that come with scikit-learn:",
    forms=(DiversitySettings, ModelChoice, DiversityThresholds),
    options=(
        option(
            "--demo",
            "use one of scikit-learn's tables",
            use="once",
            choices=dict.fromkeys(DEMO_NAMES, ""),
        ),
        switch("--regression", "the same as --task regression", sets="task", to="regression"),
        switch("--reference-cells", "cells, diversity and labels as in the published reference"),
        option("--jobs", "threads (1)", kind=int, default=1, least=1, most=MOST_JOBS, metavar="N"),
        switch("--rank-columns", "rank the columns by records singled out; without roles only that"),
        option(
            "--pair",
            "the pair that is judged, shown and written (default: the recommended one)",
            use="input",
            kind=int,
            n_values=2,
            metavar="K,L",
        ),
        written_option("--release", "write the anonymized table of the pair"),
        *LEDGER,
        *READING,
        EVIDENCE,
    ),
)
