"""Demo tables for the (k, l) search: scikit-learn's own data, as a person would upload them."""

import numpy as np
import pandas as pd

from core.demo import LABEL, DemoFile


def make_table(name: str) -> DemoFile:
    """Return one of scikit-learn's tables as CSV, the label last, in the column ``target``.

    The diabetes table has a measured progression instead of classes; it becomes three classes of
    about equal numbers of patients, 0 for the slowest.
    """
    from sklearn import datasets  # noqa: PLC0415 - a second that other tools need not wait

    bunch = (
        datasets.load_diabetes(scaled=False) if name == "diabetes" else getattr(datasets, f"load_{name}")()
    )
    frame = pd.DataFrame(bunch.data, columns=list(bunch.feature_names))
    target = bunch.target
    if name == "diabetes":
        target = np.searchsorted(np.quantile(target, [1 / 3, 2 / 3]), target)
    frame[LABEL] = target.astype(np.int64)
    return DemoFile(name=f"{name}.csv", data=frame.to_csv(index=False).encode())
