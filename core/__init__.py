"""Audits of anonymization: pure functions from datasets and settings to results.

Nothing here imports Streamlit except :mod:`core.caching`.
"""

__version__ = "0.1.0"
