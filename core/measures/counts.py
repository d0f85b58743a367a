"""Measures of tables of counts and of amounts."""

from core.measures.measure import Measure

_SDC = "Hundepool et al., Statistical disclosure control, Wiley, 2012"

MEASURES = (
    Measure("smallest_cell", "Smallest count shown", "number", "higher", lower=1).means(
        "Smallest count above 0 that a table of counts shows, in a cell or as a total."
    ),
    Measure("n_cells_by_dominance", "Cells that few contributors dominate", "cells", "lower", _SDC).means(
        "Cells of amounts in which the chosen number of largest contributors have more than the chosen share "
        "of the sum."
    ),
    Measure(
        "n_cells_by_p_percent", "Cells in which the second largest tells the largest", "cells", "lower", _SDC
    ).means(
        "Cells of amounts in which all contributions but the two largest are together less than the chosen "
        "share of the largest, which the second largest contributor can then tell to within so much."
    ),
)
