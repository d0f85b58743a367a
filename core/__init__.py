"""Audits of anonymization: pure functions from datasets and settings to results.

Nothing here imports Streamlit except :mod:`core.web.caching`.
"""

import os

# Threads of OpenMP that wait spin otherwise, which on a busy machine takes many times the work itself;
# it is read once, when the first library that has such threads is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # the same of those of linear algebra

__version__ = "0.1.0"
VERSIONS = ("0.1.0",)  # those that wrote reports, this one among them
