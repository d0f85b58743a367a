"""A synthetic patient table and its original: seeded, ours, with no person behind any record."""

import numpy as np

_SEED = 20_250
_N_PATIENTS = 360
_TOWNS = ("Ljubljana", "Maribor", "Celje", "Kranj", "Koper", "Novo mesto")
_REGION = {
    "Ljubljana": "west",
    "Maribor": "east",
    "Celje": "east",
    "Kranj": "west",
    "Koper": "west",
    "Novo mesto": "east",
}
_TOWN_SHARES = (0.35, 0.22, 0.14, 0.12, 0.09, 0.08)
_DIAGNOSES = ("hypertension", "asthma", "diabetes", "depression", "migraine", "HIV infection")
_DIAGNOSIS_SHARES = (0.3, 0.2, 0.2, 0.14, 0.13, 0.03)


def make_patients() -> bytes:
    """Return 360 patients as CSV, as a hospital would export them without names."""
    rng = np.random.default_rng(_SEED)
    ages = np.clip(rng.normal(55, 18, _N_PATIENTS).round().astype(int), 18, 97)
    sexes = rng.choice(["F", "M"], _N_PATIENTS, p=[0.55, 0.45])
    towns = rng.choice(_TOWNS, _N_PATIENTS, p=_TOWN_SHARES)
    diagnoses = rng.choice(_DIAGNOSES, _N_PATIENTS, p=_DIAGNOSIS_SHARES)
    days = np.clip(rng.geometric(0.16, _N_PATIENTS), 1, 40)
    rows = zip(ages, sexes, towns, diagnoses, days, strict=True)
    lines = [",".join(map(str, row)) for row in rows]
    return ("\n".join(["age,sex,town,diagnosis,days_in_hospital", *lines]) + "\n").encode()


def make_released_patients() -> bytes:
    """Return the same patients with ages in steps of twenty years and regions instead of towns."""
    header, *lines = make_patients().decode().splitlines()
    released = [header]
    for line in lines:
        age, sex, town, *rest = line.split(",")
        lower = int(age) // 20 * 20
        released.append(",".join((f"{lower}-{lower + 19}", sex, _REGION[town], *rest)))
    return ("\n".join(released) + "\n").encode()
