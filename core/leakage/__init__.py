"""Row leakage: whether a participant is still in the scrambled table.

``pair_tables`` aligns two tables, ``measure_leakage`` measures what does not depend on thresholds,
``judge_leakage`` judges it, and ``audit_leakage`` does all three.
"""

from core.leakage.judging import LeakageAudit, audit_leakage, first_finding, judge_leakage
from core.leakage.measuring import FirstLook, LeakageMeasures, look_first, measure_leakage
from core.leakage.pairing import TablePair, new_pseudonyms, pair_tables, with_names_of
from core.leakage.settings import LeakageSettings, LeakageThresholds, resolve_columns
from core.leakage.whole_rows import RowLeakage, count_row_matches
