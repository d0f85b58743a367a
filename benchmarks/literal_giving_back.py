"""Giving features back word for word: every step asks the model about every feature anew.

Slow on purpose: what the fast way is tested and measured against.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.diversity.minimized import Minimization, cell_use, unit_ncp


def literal_giving_back(minimization: Minimization, values: np.ndarray, truth: np.ndarray) -> Minimization:
    """Return the minimization with features left as they are until the target holds or none is left."""
    problem, use = minimization.problem, cell_use(minimization, values)
    while minimization.agreement < problem.target_accuracy and any(minimization.generalized):
        prices, options = [], []
        penalties = unit_ncp(minimization, use)
        for unit in np.flatnonzero(minimization.generalized).tolist():
            left = tuple(each and other != unit for other, each in enumerate(minimization.generalized))
            option = replace(minimization, generalized=left)
            agreement = problem.outcome.agreement(problem.predict(option.apply(values)), truth)
            gain = agreement - minimization.agreement
            prices.append((0, penalties[unit] / gain) if gain > 0 else (1, penalties[unit]))
            options.append(replace(option, agreement=agreement))
        minimization = options[prices.index(min(prices))]
    return minimization
