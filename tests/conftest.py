"""Each worker computes on one thread.

Threads of OpenMP that wait for each other spin: two workers on two cores would take a hundred times as long
to boost small trees as one of them alone.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
