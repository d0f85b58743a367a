"""Demo tables for the (k, l) search: scikit-learn's own data, as a person would upload them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from core.demo import Demo, DemoFile
from core.words import input_error

LABEL = "target"


@dataclass(frozen=True, kw_only=True)
class DemoRoles:
    """Roles to start from, for a demo whose columns say little by themselves."""

    sensitive_attribute: str
    quasi_identifiers: tuple[str, ...]


DEMO_NAMES = ("breast_cancer", "wine", "iris", "diabetes")
DEMO_ROLES: Mapping[str, DemoRoles] = {
    "breast_cancer": DemoRoles(
        sensitive_attribute="mean radius",
        quasi_identifiers=("mean texture", "mean perimeter", "mean smoothness"),
    ),
    "wine": DemoRoles(sensitive_attribute="proline", quasi_identifiers=("alcohol", "color_intensity", "hue")),
    "iris": DemoRoles(
        sensitive_attribute="petal width (cm)", quasi_identifiers=("sepal length (cm)", "sepal width (cm)")
    ),
    "diabetes": DemoRoles(sensitive_attribute="bp", quasi_identifiers=("age", "sex", "bmi")),
}


SHOWN_ROLES: Mapping[str, DemoRoles] = {
    **DEMO_ROLES,
    "breast_cancer": DemoRoles(
        sensitive_attribute="mean radius",
        quasi_identifiers=("worst perimeter", "area error", "worst concave points"),
    ),
    "wine": DemoRoles(sensitive_attribute="alcohol", quasi_identifiers=("proline", "flavanoids", "hue")),
}
"""Roles the page starts from: quasi-identifiers that a model does look at, so that minimization shows."""


def demo_file(name: str) -> DemoFile:
    """Return one of scikit-learn's tables as CSV, the label last, in the column ``target``.

    The diabetes table has a measured progression instead of classes; it becomes three classes of
    about equal numbers of patients, 0 for the slowest.

    Raises
    ------
    AuditInputError
        There is no such demo.
    """
    if name not in DEMO_NAMES:
        names = ", ".join(DEMO_NAMES)
        raise input_error("The demo must be one of {names}; it is {name}.", names=names, name=name)
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


def _files(name: str) -> Mapping[str, tuple[DemoFile, ...]]:
    return {"data": (demo_file(name),)}


DEMOS = (
    Demo(
        key="breast_cancer",
        label="Breast cancer",
        description="569 tumours with 30 measurements, benign or malignant.",
        make=partial(_files, "breast_cancer"),
    ),
    Demo(
        key="wine",
        label="Wine",
        description="178 wines with 13 measurements, from three growers.",
        make=partial(_files, "wine"),
    ),
    Demo(
        key="iris",
        label="Iris",
        description="150 flowers with 4 measurements, of three species.",
        make=partial(_files, "iris"),
    ),
    Demo(
        key="diabetes",
        label="Diabetes",
        description="442 patients with 10 measurements, in three classes of disease progression.",
        make=partial(_files, "diabetes"),
    ),
)
