"""Tables, charts and the report of the (k, l) grid search."""

from core.diversity.views.report import (
    LIMITS,
    MEASURE_KEYS,
    QUESTION,
    TITLE,
    configuration_figures,
    diversity_report,
    headline,
    main_figures_first,
    pair_charts,
    search_figures,
    way_of_records,
)
from core.diversity.views.tables import (
    bins_table,
    configurations_csv,
    configurations_table,
    generalizations_table,
    kept_records_csv,
    singling_out_table,
)
