"""The tabular verifier: whether an anonymized table holds what its log claims.

`measure_tabular` does the expensive part once, `judge_tabular` answers every threshold at once;
the second opinion beside it does not trust the log.
"""

from core.tabular.judging import TabularAudit, audit_tabular, judge_tabular
from core.tabular.log import AnonymizationLog, LogEntry, read_log
from core.tabular.measuring import (
    ColumnResult,
    ResidualCount,
    TabularMeasurement,
    measure_classes,
    measure_tabular,
)
from core.tabular.pairing import FilePair, LeftOutFile, Pairing, pair_files
from core.tabular.rules import ColumnCheck
from core.tabular.settings import TabularSettings, TabularThresholds
