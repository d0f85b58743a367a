"""The second opinion on an anonymized table: the log is somebody's claim, this does not trust it.

`measure_second_opinion` is the expensive part; `judge_second_opinion` answers every threshold at once.
"""

from core.tabular.second_opinion.opinion import (
    SecondOpinion,
    SecondOpinionMeasurement,
    judge_second_opinion,
    measure_second_opinion,
    with_quasi_identifiers,
)
from core.tabular.settings import SecondOpinionSettings, SecondOpinionThresholds
