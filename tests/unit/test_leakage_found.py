"""Persons who are found: likeness, near copies, columns set aside, the second look, attacks, the hold-out."""

from base64 import b32encode, b64encode
from hashlib import sha256, sha384

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from core.comparing.names import folded_name
from core.comparing.nearest_records import find_closest, likeness_tables
from core.errors import AuditInputError
from core.intervals import wilson_interval
from core.leakage import LeakageAudit, LeakageSettings, audit_leakage
from core.leakage.attacks import AttackRate, Membership
from core.leakage.chance import ColumnChance, probabilities_of_matches
from core.leakage.near_copies import most_unlikely_excess, tail_rate
from core.leakage.pairing import with_names_of
from core.leakage.whole_rows import WholeRows
from core.people.names import ENGLISH_GIVEN_NAMES, ENGLISH_SURNAMES
from core.tables import Dataset, ReadOptions, read_dataset
from core.verdict import Finding, Verdict, next_steps
from tests.cases.table import says
from tests.kinds import Patch


def written(frame: pd.DataFrame, name: str = "table.csv") -> Dataset:
    text = frame.to_csv(index=False, lineterminator="\n")
    return read_dataset(text.encode(), name=name, options=ReadOptions(delimiter=",", header="first_line"))


def people(n: int, seed: int) -> pd.DataFrame:
    """Return persons with words, decimals and dates, of whom hardly two are alike."""
    rng = np.random.default_rng(seed)
    skill = rng.normal(0, 1, n)
    days = np.datetime64("1950-01-01") + rng.integers(0, 20_000, n)
    return pd.DataFrame(
        {
            "town": rng.choice(["Ljubljana", "Celje", "Koper", "Ptuj"], n),
            "sex": rng.choice(["f", "m"], n),
            "born": days.astype(str),
            "income": np.round(np.exp(10 + 0.4 * skill)).astype(int),
            "rent": np.round(np.exp(6 + 0.3 * skill + rng.normal(0, 0.2, n))).astype(int),
            "height": np.round(rng.normal(171, 9, n), 1),
            "weight": np.round(rng.normal(74, 12, n), 1),
        }
    ).astype(str)


def shuffled(frame: pd.DataFrame, seed: int = 9) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({name: rng.permutation(frame[name].to_numpy()) for name in frame})


def moved(frame: pd.DataFrame, seed: int = 3) -> pd.DataFrame:
    return frame.iloc[np.random.default_rng(seed).permutation(len(frame))].reset_index(drop=True)


def judged(
    original: pd.DataFrame, scrambled: pd.DataFrame, holdout: pd.DataFrame | None = None, **settings: object
) -> LeakageAudit:
    return audit_leakage(
        written(original, "original.csv"),
        written(scrambled, "scrambled.csv"),
        holdout=None if holdout is None else written(holdout, "holdout.csv"),
        settings=LeakageSettings(**settings),  # type: ignore[arg-type]
    )


def finding(result: LeakageAudit, check: str) -> Finding:
    return next(found for found in result.findings if found.check == check)


def checks(result: LeakageAudit) -> set[str]:
    return {found.check for found in result.findings}


ORIGINAL = people(300, seed=1)
CODES = {"Ljubljana": "k3", "Celje": "k1", "Koper": "k0", "Ptuj": "k2"}


def test_likeness__rare_words_and_close_numbers_count_for_more() -> None:
    original = pa.table({"w": pa.chunked_array([["a"] * 7 + ["b"]])})
    records, others = likeness_tables(
        [original, pa.table({"w": pa.chunked_array([["a", "b", "c"]])})], ["w"], seed=0
    )
    closest = find_closest(others, records)
    # −log2(7/8), −log2(1/8), nothing
    assert closest.best.tolist() == pytest.approx([3 / 16, 3.0, 0.0], abs=1 / 16)
    assert closest.gap.tolist() == pytest.approx([0.0, 3.0, 0.0], abs=1 / 16)
    assert closest.nearest[1] == 7
    numbers = [str(number) for number in range(64)]
    records, others = likeness_tables(
        [
            pa.table({"n": pa.chunked_array([numbers])}),
            pa.table({"n": pa.chunked_array([["10", "10.4", "-5000"]])}),
        ],
        ["n"],
        seed=0,
    )
    closest = find_closest(others, records)
    assert closest.nearest[:2].tolist() == [10, 10]
    assert closest.best[0] == pytest.approx(6, abs=0.1)
    assert closest.best[1] <= closest.best[0]
    assert closest.best[2] == 0


def test_tail_rate__is_what_was_seen_or_an_exponential_tail_beyond() -> None:
    gaps = np.random.default_rng(0).exponential(2, 2000).astype(np.float32)
    assert tail_rate(gaps, 1.0) >= np.mean(gaps >= 1.0)
    assert np.exp(-10) < tail_rate(gaps, 20.0) < 10 * np.exp(-10)
    assert tail_rate(np.zeros(50, np.float32), 1.0) == 0


def test_most_unlikely_excess__counts_persons_not_rows() -> None:
    observed = np.full(40, 30, np.float32)
    baseline = np.random.default_rng(1).exponential(1, 400).astype(np.float32)
    many = most_unlikely_excess(observed, [baseline], persons=np.arange(40))
    assert (many.n_observed, many.n_persons) == (40, 40)
    assert many.p_value < 1e-12
    one = most_unlikely_excess(observed, [baseline], persons=np.zeros(40, np.int64))
    assert one.p_value == 1.0
    few = most_unlikely_excess(observed[:2], [baseline], persons=np.arange(2))
    assert few.p_value == 1.0


@pytest.mark.slow
def test_near_copies__one_in_a_hundred_with_a_cell_new_is_found_in_four_of_five_seeds() -> None:
    found = 0
    for seed in range(5):
        original, released = people(1000, seed), people(1000, seed + 100)
        rng = np.random.default_rng(seed)
        rows = rng.choice(1000, 10, replace=False)
        released.iloc[rows] = original.iloc[rows[::-1]].to_numpy()
        for row, column in zip(rows, rng.integers(0, 7, 10), strict=True):
            released.iloc[row, column] = original.iloc[rng.integers(1000), column]
        found += finding(judged(original, released), "near_copies").verdict is Verdict.FAIL
    assert found >= 4


@pytest.mark.slow
def test_strangers__of_a_correlated_population_do_not_fail() -> None:
    for seed in range(5):
        assert judged(people(400, seed), people(400, seed + 50)).verdict is not Verdict.FAIL


@pytest.mark.slow
def test_noise__of_one_percent_on_numbers_is_found_wherever_rows_went() -> None:
    released = ORIGINAL.copy()
    rng = np.random.default_rng(2)
    for name in ("income", "rent", "height", "weight"):
        released[name] = (released[name].astype(float) * rng.normal(1, 0.01, 300)).round(2).astype(str)
    assert finding(judged(ORIGINAL, moved(released)), "near_copies").verdict is Verdict.FAIL
    in_order = judged(ORIGINAL, released)
    assert finding(in_order, "relinkage_by_likeness").verdict is Verdict.FAIL


@pytest.mark.slow
def test_set_aside__a_new_participant_number_hides_nobody_and_shuffled_columns_pass() -> None:
    original = ORIGINAL.assign(pid=[f"P{number:04d}" for number in range(300)])
    released = ORIGINAL.assign(pid=[f"Q{number:05d}" for number in range(300)])
    result = judged(original, released)
    assert result.verdict is Verdict.FAIL
    assert finding(result, "full_leakage").verdict is Verdict.PASS
    found = finding(result, "without_columns")
    assert says(found.message, "Without `pid`, …300 of 300 rows (100 %) are the same")
    by_row = finding(judged(original, moved(released)), "without_columns")
    assert by_row.verdict is Verdict.FAIL
    assert by_row.message.startswith("Without `pid`, which matches nowhere, 300 of 300 rows that are unique")
    original = ORIGINAL.assign(pid=[f"P{number:04d}" for number in range(300)])
    released = shuffled(ORIGINAL).assign(pid=[f"Q{number:05d}" for number in range(300)])
    result = judged(original, released)
    assert finding(result, "without_columns").verdict is Verdict.PASS
    assert result.verdict is not Verdict.FAIL


def _moved_scale(frame: pd.DataFrame) -> pd.DataFrame:
    income, rent = (frame[name].astype(int) for name in ("income", "rent"))
    return frame.assign(income=(income + 1_000_000).astype(str), rent=(rent * 3 + 1_000_000).astype(str))


def _in_another_calendar(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the dates in words, of the Thai calendar."""
    days = pd.to_datetime(frame["born"])
    return frame.assign(born=[f"{day.day} {day:%B} {day.year + 543}" for day in days])


def _day_first(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(born=pd.to_datetime(frame["born"]).dt.strftime("%d.%m.%Y"))


@pytest.mark.one_of(12)
@pytest.mark.parametrize(
    ("disguise", "said"),
    [
        (lambda frame: frame.map(str.upper), "spelled otherwise"),
        (lambda frame: frame.assign(height=frame["height"].str.replace(".", ",")), "spelled otherwise"),
        (lambda frame: frame.assign(weight=frame["weight"] + " kg"), "spelled otherwise"),
        (_day_first, "spelled otherwise"),
        (_in_another_calendar, "spelled otherwise"),
        (_moved_scale, "on the original's scale"),
        (lambda frame: frame.assign(town=frame["town"].map(CODES)), "recoded by frequency"),
        (lambda frame: frame.rename(columns={"income": "v1", "born": "v2"}), "of another name"),
        (lambda frame: frame.map(lambda cell: cell[::-1]), "spelled otherwise"),
        (lambda frame: frame.map(lambda cell: b64encode(cell.encode()).decode()), "spelled otherwise"),
        (lambda frame: frame.map(lambda cell: sha256(cell.encode()).hexdigest()), "spelled otherwise"),
        (lambda frame: frame.map(lambda cell: sha384(cell.encode()).hexdigest()), "spelled otherwise"),
        (lambda frame: frame.map(lambda cell: cell.encode().hex()), "spelled otherwise"),
        (lambda frame: frame.map(lambda cell: b32encode(cell.encode()).decode()), "spelled otherwise"),
        (lambda frame: frame.set_axis([*frame.columns[1:], frame.columns[0]], axis=1), "of another name"),
    ],
)
def test_second_look__undoes_spelling_and_simple_disguises(disguise: object, said: str) -> None:
    released = moved(disguise(ORIGINAL.copy()))  # type: ignore[operator]
    found = finding(judged(ORIGINAL, released), "second_look")
    assert says(found.message, f"{said}…(") or says(found.message, f"(…{said}")
    assert found.verdict is Verdict.FAIL
    controlled = judged(ORIGINAL, disguise(people(300, seed=77)))  # type: ignore[operator]
    assert controlled.verdict is not Verdict.FAIL


@pytest.mark.slow
def test_columns__that_share_no_value_are_said_and_aligned_whatever_their_spelling() -> None:
    in_letters = str.maketrans("0123456789.-", "abcdefghijkl")
    result = judged(ORIGINAL, moved(ORIGINAL.map(lambda cell: cell.translate(in_letters))))
    found = finding(result, "columns_not_comparable")
    assert found.verdict is Verdict.WARN
    assert found.message.startswith("5 of 7 columns (`born`, `income`, `rent` and 2 more) share hardly")
    assert result.verdict is not Verdict.PASS
    other = ORIGINAL.assign(town="elsewhere", sex="x")
    assert "columns_not_comparable" not in {each.check for each in judged(ORIGINAL, other).findings}
    released = moved(ORIGINAL).rename(columns={"town": "\ufeffTown", "income": " IN COME ", "born": "Born"})
    result = judged(ORIGINAL, released)
    assert len(result.measures.columns) == 7
    assert any("aligned although the name is spelled otherwise" in note for note in result.measures.notes)
    assert folded_name("Straße_ ") == folded_name("STRASSE")
    two = written(pd.DataFrame({"A": ["1"], "a ": ["2"]}))
    assert with_names_of(written(pd.DataFrame({"a": ["1"]})), two) is two  # either could be meant
    original = pd.DataFrame({"id": [str(n) for n in range(300)], "sex": ["f", "m"] * 150})
    scrambled = original.assign(id=[*original["id"][:5], *original["id"][:4:-1]])
    checks = {finding.check for finding in judged(original, scrambled, ignore_columns=("sex",)).findings}
    assert "columns_above_chance" not in checks  # 5 of 300 in place where 1 is expected: 4 deviations, 0.4 %


@pytest.mark.slow
def test_second_look__in_order_says_full_leakage_and_asks_for_nothing_beyond_the_first() -> None:
    found = finding(judged(ORIGINAL, ORIGINAL.map(str.upper)), "second_look")
    assert "300 of 300 rows (100 %) are the same as their original row" in found.message
    assert "second_look" not in checks(judged(ORIGINAL, shuffled(ORIGINAL)))
    original = people(600, seed=1).assign(code=[f"S{n:04}" for n in range(600)])
    rng, released = np.random.default_rng(2), original.copy()
    for name in ("income", "born"):  # the other columns keep persons together
        released[name] = rng.permutation(original[name])
    released["code"] = [f"X{n:05}" for n in rng.permutation(600)]
    result = judged(original, moved(released))
    assert finding(result, "near_copies").verdict is Verdict.FAIL
    assert finding(result, "second_look").verdict is Verdict.PASS
    assert "no more is found than before" in finding(result, "second_look").message


@pytest.mark.slow
def test_holdout__decides_and_attacks_are_held_against_it() -> None:
    strangers = people(300, seed=60)
    fine = judged(ORIGINAL, people(300, seed=61), strangers)
    assert finding(fine, "attacks").verdict is Verdict.PASS
    assert finding(fine, "members").verdict is Verdict.PASS
    leaked = judged(ORIGINAL, moved(ORIGINAL), strangers)
    assert finding(leaked, "attacks").verdict is Verdict.WARN
    assert finding(leaked, "members").verdict is Verdict.FAIL
    assert leaked.measures.attacks is not None
    linkage = next(rate for rate in leaked.measures.attacks.rates if rate.attack == "linkage")
    assert linkage.share > 0.5
    assert linkage.control_share is not None
    assert linkage.control_share < 0.1
    assert leaked.measures.whole_rows.stranger_p_value < 1e-20


@pytest.mark.parametrize("holdout", [ORIGINAL, moved(ORIGINAL), moved(ORIGINAL).head(150)])
def test_holdout__that_holds_the_original_or_the_scrambled_table_is_refused(holdout: pd.DataFrame) -> None:
    scrambled = people(300, seed=61)
    with pytest.raises(AuditInputError, match="is no hold-out"):
        judged(ORIGINAL, scrambled, holdout)
    with pytest.raises(AuditInputError, match="is no hold-out"):
        judged(scrambled, ORIGINAL, holdout)
    judged(ORIGINAL, scrambled, people(300, seed=62))  # other persons are taken


def test_one_file_in_two_slots__leaks_fully() -> None:
    table = written(ORIGINAL)
    result = audit_leakage(table, table)
    assert result.verdict is Verdict.FAIL
    assert finding(result, "full_leakage").n_affected == 300


@pytest.mark.slow
def test_whole_rows__of_strangers_share_what_pairs_share() -> None:
    none = "n_exact expected_exact expected_unique_exact p_value n_repeated_exact expected_repeated_exact"
    usual = dict.fromkeys(none.split(), 0.0) | {"n_unique": 90, "repeated_p_value": 1.0}
    found = WholeRows(n_original=100, n_scrambled=100, n_unique_exact=2, n_pairs=5, **usual)  # type: ignore[arg-type]
    assert found.expected_among_strangers == 10
    assert found.stranger_p_value > 0.9
    held = WholeRows(
        n_original=100, n_scrambled=100, n_unique_exact=2, n_holdout=50, n_holdout_exact=0, **usual
    )  # type: ignore[arg-type]
    assert held.expected_among_strangers == 0
    assert held.stranger_p_value == pytest.approx((2 / 3) ** 2)
    original, strangers = people(400, 5), people(400, 6)
    strangers.iloc[:2] = original.iloc[200:202].to_numpy()
    audit = judged(original, strangers)
    assert not audit.measures.whole_rows.is_rearranged
    assert next(one for one in audit.findings if one.check == "whole_rows").verdict is Verdict.WARN
    coarse = original[["town", "sex"]].assign(age=original["born"].str[:3])
    assert not judged(
        coarse, shuffled(coarse)
    ).measures.whole_rows.is_rearranged  # strangers have such values too


def test_attack_rate_and_membership__stand_with_interval_control_and_risk() -> None:
    rate = AttackRate(
        attack="linkage", n_guesses=100, n_successes=40, n_naive=1, n_control_guesses=100, n_control=20
    )
    assert (rate.share, rate.control_share, rate.naive_share) == (0.4, 0.2, 0.01)
    assert rate.risk == pytest.approx(0.25)
    assert rate.interval == pytest.approx((0.3094, 0.4980), abs=1e-4)
    assert rate.p_value == pytest.approx(0.0016, abs=3e-4)
    alone = AttackRate(attack="linkage", n_guesses=0, n_successes=0, n_naive=0)
    assert (alone.share, alone.naive_share, alone.control_share, alone.risk) == (0, 0, None, None)
    assert alone.p_value == 1
    assert wilson_interval(0, 0) == (0.0, 1.0)
    sure = AttackRate(
        attack="linkage", n_guesses=2, n_successes=2, n_naive=0, n_control_guesses=2, n_control=2
    )
    assert sure.risk == 0
    found = Membership(n_members=100, n_others=100, auc=0.5)
    assert found.smallest_shown == pytest.approx(0.615, abs=0.002)
    low, high = found.interval
    assert (low, high) == pytest.approx((0.42, 0.58), abs=0.005)


@pytest.mark.slow
def test_many_columns__are_measured_on_a_sample_of_them() -> None:
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 9, (30, 400)).astype(str)
    original = pd.DataFrame(cells, columns=[f"c{place}" for place in range(400)])
    assert judged(original, moved(original)).verdict is Verdict.FAIL
    assert judged(original, shuffled(original)).verdict is not Verdict.FAIL


def attack(audit: LeakageAudit, name: str) -> AttackRate:
    assert audit.measures.attacks is not None
    return next(rate for rate in audit.measures.attacks.rates if rate.attack == name)


@pytest.mark.slow
def test_linkage_and_singling_out__of_copies_and_strangers() -> None:
    original = pd.DataFrame({"age": ["1", "2", "2", "9", "9"], "town": ["a", "a", "b", "b", "c"]})
    scrambled = pd.DataFrame({"age": ["1", "2", "2", "9", "9"], "town": ["a", "a", "b", "b", "b"]})
    rate = attack(judged(original, scrambled), "singling out, one column")
    assert (rate.n_guesses, rate.n_successes) == (2, 2)  # age = 1 and age <= 1; not age >= 9, which two have
    several = attack(judged(original, scrambled), "singling out, several columns")
    assert (several.n_guesses, several.n_successes) == (2, 2)  # rows 1 and 3, each once
    original = people(300, 1)
    assert attack(judged(original, moved(original)), "linkage").share > 0.9
    strangers = attack(judged(original, people(300, 2)), "linkage")
    assert strangers.n_guesses == 300
    assert strangers.share < 0.05


def test_probabilities_of_matches__are_exact_where_matches_are_rare_and_binomial_elsewhere() -> None:
    chance = ColumnChance(expected_matches=np.array([0.5, 30.0, 0.0]), variance=np.array([0.5, 15.0, 0.0]))
    found = probabilities_of_matches(np.array([4, 30, 1]), chance)
    assert found[0] == pytest.approx(0.00175, abs=1e-5)  # Poisson(0.5), 4 or more
    assert found[1] == pytest.approx(0.551, abs=1e-3)  # Binomial(60, 0.5), 30 or more
    assert found[2] < 1e-300


@pytest.mark.slow
def test_second_look__of_very_many_columns_is_on_some_of_them_and_says_so(monkeypatch: Patch) -> None:
    monkeypatch.setattr("core.leakage.second_look._MOST_COLUMNS", 10)
    rng = np.random.default_rng(0)
    original = pd.DataFrame({f"c{n}": np.round(rng.normal(50, 9, 120), 2) for n in range(30)})
    audit = judged(original, (original * 3).round(2))
    found = finding(audit, "second_look")
    assert found.verdict is Verdict.FAIL
    assert says(found.message, "10 columns…on 10 of 30 columns")


def wards(n: int, seed: int) -> pd.DataFrame:
    """Return a ward, an arm, and one measurement that nearly says the arm."""
    rng = np.random.default_rng(seed)
    arm = rng.choice(["case", "control"], n)
    value = np.where(arm == "case", rng.normal(30, 5, n), rng.normal(60, 8, n)).round(1)
    return pd.DataFrame({"ward": rng.choice(list("UVWXYZ"), n), "arm": arm, "value": value}).astype(str)


@pytest.mark.slow
def test_second_look__strangers_on_the_originals_scale_are_no_more_than_their_neighbours() -> None:
    original = wards(200, 1)
    said = []
    for seed in range(10, 20):
        result = judged(original, wards(200, seed))
        again = result.measures.second_look
        assert again is not None
        assert again.rescaled == ("value",)
        assert again.whole_rows.expected_among_neighbours > 20  # where persons alike would give some 15
        said.append(finding(result, "second_look").verdict)
    assert said.count(Verdict.PASS) >= 9
    assert Verdict.FAIL not in said
    other_unit = moved(original)
    other_unit["value"] = (other_unit["value"].astype(float) * 1.8 + 32).round(2).astype(str)
    leaked = finding(judged(original, other_unit), "second_look")
    assert leaked.verdict is Verdict.FAIL


def registry(n: int, seed: int) -> pd.DataFrame:
    """Return days, of which a third is one person's alone, with a few words."""
    rng = np.random.default_rng(seed)
    days = np.datetime64("2024-01-01") + rng.integers(0, 730, n)
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "town": rng.choice(["Ljubljana", "Celje", "Koper", "Ptuj"], n),
            "code": rng.choice(["a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8"], n),
            "seen": days.astype(str),
        }
    )


@pytest.mark.slow
def test_near_copies__of_strangers_are_held_against_the_columns_that_both_tables_have() -> None:
    original, strangers = registry(1000, 1), registry(1000, 2)
    recoded = {"f": "k0", "m": "k1", "Ljubljana": "t0", "Celje": "t1", "Koper": "t2", "Ptuj": "t3"}
    assert finding(judged(original, strangers.replace(recoded)), "near_copies").verdict is Verdict.PASS
    changed = moved(people(1000, 1)).assign(town="elsewhere", sex=lambda table: table["sex"] + "0")
    assert finding(judged(people(1000, 1), changed), "near_copies").verdict is Verdict.FAIL


def with_people(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Return the frame with names out of a pool that strangers share, and addresses that nobody shares."""
    rng = np.random.default_rng(seed)
    pool = [
        f"{one} {other}" for one in sorted(ENGLISH_GIVEN_NAMES)[:40] for other in sorted(ENGLISH_SURNAMES)
    ]
    mail = [f"p{n}.{seed}@example.org" for n in rng.permutation(10_000)[: len(frame)]]
    return frame.assign(full_name=rng.choice(pool[:1500], len(frame)), email=mail)


@pytest.mark.parametrize("n", [120, 600])
def test_naming__names_and_addresses_that_are_still_there_fail_wherever_they_stand(n: int) -> None:
    original = with_people(people(n, 1), 2)
    audit = judged(original, shuffled(original))
    (found,) = [each for each in audit.findings if each.check == "direct_identifiers"]
    assert found.verdict is audit.verdict is Verdict.FAIL
    assert [each.check for each in audit.findings if each.verdict is Verdict.FAIL] == ["direct_identifiers"]
    assert audit.headline.startswith(f"{n} of {n} original values of `email` ")
    assert next_steps(audit.findings)[0].startswith("Leave out `email`, `full_name`")


@pytest.mark.slow
def test_naming__a_column_that_only_its_name_says_and_names_of_the_same_pool() -> None:
    original = people(600, 1)
    for seed in range(3):
        audit = judged(with_people(original, 2), with_people(shuffled(original), 30 + seed))
        assert audit.measures.naming  # some names are those of strangers too
        assert audit.verdict is Verdict.PASS
    original = people(300, 1).assign(phone=[f"x{n}" for n in range(300)])
    scrambled = shuffled(original)
    (found,) = [each for each in judged(original, scrambled).findings if each.check == "perhaps_names"]
    assert (found.verdict, found.column, found.n_affected) == (Verdict.WARN, "phone", 300)
    new = scrambled.assign(phone=[f"y{n}" for n in range(300)])
    assert judged(original, new).verdict is Verdict.PASS
    rng = np.random.default_rng(5)
    numbers = [
        f"{60 + n % 40:02}{1 + n % 12:02}{1 + n % 28:02}-1{rng.integers(10**6):06}" for n in range(300)
    ]
    tokens = [f"{rng.integers(16**12):012x}" for _ in range(300)]
    original = ORIGINAL.assign(resident_number=numbers)
    left = shuffled(ORIGINAL).assign(resident_number=[*numbers[:4], *tokens[4:]])
    found = finding(judged(original, moved(left)), "direct_identifiers")
    assert found.verdict is Verdict.FAIL
    assert "4 of 300" in found.message
    gone = judged(original, moved(left.assign(resident_number=tokens)))
    assert "direct_identifiers" not in checks(gone)


def with_phones(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    phones = [f"041 {rng.integers(100, 1000)} {rng.integers(100, 1000)}" for _ in range(n)]
    return people(n, seed).assign(phone=phones)


@pytest.mark.slow
def test_naming__phones_made_up_of_so_few_digits_that_some_are_real_are_no_finding() -> None:
    original, strangers = with_phones(2000, 1), with_phones(2000, 2)
    audit = judged(original, strangers)
    assert [one.n_found > 0 for one in audit.measures.naming] == [True]
    assert "direct_identifiers" not in checks(audit)
    assert finding(judged(original, shuffled(original)), "direct_identifiers").verdict is Verdict.FAIL
    few = with_phones(400, 2)
    few.loc[:3, "phone"] = original["phone"].iloc[10:14].to_numpy()
    assert finding(judged(original.iloc[:400], few), "direct_identifiers").verdict is Verdict.FAIL


# -------------------------------------------------- whole rows in a table of the original's own values


@pytest.mark.one_of(3)
@pytest.mark.parametrize("n_left", [0, 2, 6])
@pytest.mark.parametrize("by_groups", [False, True])
def test_whole_rows__few_left_among_the_originals_own_values_fail(n_left: int, by_groups: bool) -> None:
    original = people(400, 5)
    scrambled = shuffled(original)
    if by_groups:  # what depends on the town still does
        parts = [shuffled(part, 4).set_axis(part.index) for _, part in original.groupby("town")]
        scrambled = moved(pd.concat(parts))
    scrambled.iloc[:n_left] = original.iloc[200 : 200 + n_left].to_numpy()
    audit = judged(original, scrambled)
    assert audit.measures.whole_rows.is_rearranged
    found = next(one for one in audit.findings if one.check == "whole_rows")
    assert found.verdict is (Verdict.FAIL if n_left else Verdict.PASS)
    assert found.n_affected == n_left
