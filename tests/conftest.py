"""Each worker computes on one thread, and no example of Hypothesis fails for the time it takes.

Threads of OpenMP that wait for each other spin: two workers on two cores would take a hundred times as long
to boost small trees as one of them alone.
"""

import os

from hypothesis import settings

from tests.thorough import times

os.environ.setdefault("OMP_NUM_THREADS", "1")
settings.register_profile("any machine", deadline=None, max_examples=times(100))
settings.load_profile("any machine")
