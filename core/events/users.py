"""Who counts as one user: identifiers spelt nearly alike or numbered, that act together, or are tests."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import scipy

from core.chance import poisson_tail
from core.coding import BoolArray, IntArray, sorted_distinct, value_codes
from core.people.roles.vocabulary import heads_other_people, match_name, name_tokens

_KINDS_OF_NUMBERS = frozenset(
    {
        "national identification number",
        "patient or person number",
        "e-mail address",
        "phone number",
        "online identifier or network address",
        "identity document or account number",
    }
)
_PERSONS = frozenset(
    {"patient", "person", "user", "client", "member", "resident", "participant", "subject", "respondent"}
    | {"uporabnik", "pacient", "oseba", "stranka", "varovanec", "환자", "사용자", "회원", "고객", "대상자"}
)
_OTHER_PEOPLE = frozenset(
    {
        "employee",
        "staff",
        "doctor",
        "nurse",
        "physician",
        "provider",
        "therapist",
        "owner",
        "contact",
        "mother",
    }
    | {"father", "spouse", "guardian", "household", "family", "record", "encounter", "visit", "name", "group"}
    | {"type", "class", "age", "sex", "gender", "status", "count", "zdravnik", "druzina", "gospodinjstvo"}
)
_OTHER_PEOPLE_INSIDE = ("의사", "담당", "보호자", "간호", "가구", "사번", "가족", "이름", "명")
_WORDS_OF_NUMBERS = frozenset(
    {"id", "no", "nr", "number", "code", "identifier", "key", "st", "stevilka", "sifra", "번호", "코드"}
)
_SEED = 20_240
_TIMES_CHANCE = 3
_FEWEST_SHARED = 2
_NOT_WORDS = r"[\s\pZ\p{Cf}\p{Cc}]+"
_MARKS = r"\s\pZ{}()\[\]<>\"'“”„‘’«»|"  # brackets and quotes, such as the braces of GUIDs
_AROUND = rf"^[{_MARKS}#]+|[{_MARKS}]+$"
_LIKE_NUMBERS, _MANY_PERSONS = 0.9, 0.1  # share of values with a digit or @; different values for each user
_SEPARATORS = r"[\s\pZ._,;:/\\\-]+"
_BETWEEN_DIGITS = rf"(\d){_SEPARATORS}(\d)"
_KEPT_MARK = "\x1e"
# a number up to 99 after a sign, at the end of an identifier: of reissued cards, further accounts
_NUMBERED = r"^(.*[\p{L}\p{N}])[\s._/#-]+\d{1,2}$"
_AGAIN_BY_CHANCE = 0.01
_DOMAIN = r"^[^@\\]{1,200}\\|@[^@\\]{1,200}$"  # before a backslash, or behind an @
_IN_A_ROW, _FEWEST_IN_A_ROW = re.compile(r"(?<!\d)\d{1,3}$"), 3
_TEST_WORDS = re.compile(
    r"(?:^|[^a-z])(?:test|tests|tester|testing|testuser|demo|dummy|monitor|monitoring|healthcheck|sandbox"
    r"|prueba|pruebas|essai|probe|poskus|preizkus)(?:$|[^a-z])|(?:^|[\s._-])(?:qa|uat|bot)(?:$|[\s._-])"
    r"|테스트|시험용|テスト",
    re.IGNORECASE,
)
_FEW_TESTS, _DIGIT, _LETTER = 0.1, re.compile(r"\d"), re.compile(r"[^\W\d_]")
_AT_ONCE = 2  # seconds within which events are at once
_MOST_AT_ONCE = 12  # of events at once that are looked at
_FEWEST_TOGETHER, _ALWAYS, _TOGETHER_BY_CHANCE = 3, 0.9, 1e-6
_PLAIN_BYTES = np.isin(np.arange(256), list(b"abcdefghijklmnopqrstuvwxyz0123456789-"))


@dataclass(frozen=True, kw_only=True, eq=False)
class OtherPersons:
    """Another count of persons than one for each user identifier."""

    # ``near_equal`` for identifiers that differ in spelling only, ``column`` for a column that names the
    # person while the chosen one does not, ``numbered`` for such that differ in a number at the end,
    # ``domains`` for such that differ in the domain, ``together`` for users that always act at once,
    # ``tests`` for such that are called tests, or made in a row
    kind: str
    column: str | None  # that column, None for other kinds
    person_of_user: IntArray  # shape (n_users,), codes of the persons, -1 for none
    n_users_joined: int  # users that are not the only one of their person
    n_persons_joined: int  # persons that these are
    is_named: bool = True  # whether the column's name says so too; spellings say it themselves


def folded(texts: pa.Array) -> pa.Array:
    r"""Return texts without what people and spreadsheets change in an identifier.

    Case, spaces, brackets and quotes around it, characters without width, accents, Unicode form (full-width,
    composed or not), separators but between digits (``1-23`` is not ``12-3``), leading zeros of numbers, and
    a decimal point with zeros after a whole number.

    >>> folded(pa.array(["Ana  Novak", "ana.novak", "P 007", "p7", "7.0", "1-23", "{A-2}"])).to_pylist()
    ['ananovak', 'ananovak', 'p7', 'p7', '7', '1\x1e23', 'a2']
    """
    if pc.all(pc.string_is_ascii(texts)).as_py():
        text = pc.ascii_trim_whitespace(pc.ascii_lower(texts))
    else:
        text = pc.utf8_normalize(pc.utf8_lower(texts), "NFKD")
        text = pc.replace_substring_regex(text, r"([a-z])\p{Mn}+", r"\1")  # accents of Latin letters only
        text = pc.utf8_trim_whitespace(pc.utf8_normalize(text, "NFKC"))
    if _any(text, _AROUND):
        inner = pc.replace_substring_regex(text, _AROUND, "")
        text = pc.if_else(pc.equal(inner, ""), text, inner)  # marks alone are told apart
    if _any(text, r"[.,]0+$"):
        text = pc.replace_substring_regex(text, r"^(\d+)[.,]0+$", r"\1")
    if _any(text, _SEPARATORS) or _any(text, _NOT_WORDS):
        for _ in range(2):  # a digit between two separators belongs to both
            text = pc.replace_substring_regex(text, _BETWEEN_DIGITS, rf"\1{_KEPT_MARK}\2")
        text = pc.replace_substring_regex(text, _SEPARATORS, "")
        text = pc.replace_substring_regex(text, r"[\pZ\p{Cf}\x00-\x1d\x1f]+", "")
    if _any(text, r"(?:^|\D)0+\d"):
        text = pc.replace_substring_regex(text, r"(^|\D)0+(\d)", r"\1\2")
    return text


def _any(texts: pa.Array, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(texts, pattern)).as_py())


def near_equal_users(users: pa.Array) -> OtherPersons | None:
    """Return the users that differ in spelling only; None where no more do than chance explains.

    Short codes of letters in both cases meet by chance when written in one case. Chance is counted
    in codes of the same characters at the same places, shuffled among the users of the same length.
    """
    if cannot_be_respelt(users):
        return None
    return _joined_by("near_equal", folded, users)


def numbered_users(users: pa.Array) -> OtherPersons | None:
    """Return the users that differ in a number at their end only; None where chance explains them."""

    def stems(texts: pa.Array) -> pa.Array:
        return pc.replace_substring_regex(texts, _NUMBERED, r"\1")

    if not _any(users, _NUMBERED):
        return None
    without = stems(users).to_pylist()
    is_bare = [name == stem for name, stem in zip(users.to_pylist(), without, strict=True)]
    found = _joined_by("numbered", stems, users) or _met_again("numbered", without, is_bare)
    return None if found is None else replace(found, is_named=False)


def users_of_domains(users: pa.Array) -> OtherPersons | None:
    """Return the users of the commonest domain who are in another one too, as accounts after a move."""
    if not _any(users, _DOMAIN):
        return None
    lower = pc.utf8_lower(users)
    mailboxes = pc.replace_substring_regex(lower, _DOMAIN, "").to_pylist()
    domains = [name.replace(box, "", 1) for name, box in zip(lower.to_pylist(), mailboxes, strict=True)]
    ((most, _),) = Counter(domains).most_common(1)
    found = _met_again("domains", mailboxes, [domain == most for domain in domains])
    return None if found is None else replace(found, is_named=False)


def _met_again(kind: str, stems: Sequence[str], is_bare: Sequence[bool]) -> OtherPersons | None:
    """Return the users whose identifier, without what was taken off, is that of a bare one, beyond chance.

    Chance: of identifiers whose characters are drawn, place by place, as bare ones of one length have them,
    each of the ten digits or 26 letters once more.
    """
    bare = {stem for stem, bare in zip(stems, is_bare, strict=True) if bare}
    again = {stem for stem, bare in zip(stems, is_bare, strict=True) if not bare} & bare
    expected = 0.0
    for length, n_again in Counter(map(len, again)).items():
        letters = np.array([list(stem) for stem in sorted(bare) if len(stem) == length])
        chance = np.ones(len(letters))
        for place in letters.T:
            _, code, n_alike = np.unique(place, return_inverse=True, return_counts=True)
            n_others = np.where(np.char.isdigit(place), 10, np.where(np.char.isalpha(place), 26, 1))
            chance *= (n_alike[code] + 1) / (len(letters) + n_others)
        expected += n_again * float(chance.sum())
    if not again or poisson_tail(len(again), expected) >= _AGAIN_BY_CHANCE:
        return None
    persons = [stem if stem in again else f"{at}\0" for at, stem in enumerate(stems)]
    return _joined(kind, value_codes(pa.array(persons)))


def _joined_by(kind: str, fold: Callable[[pa.Array], pa.Array], users: pa.Array) -> OtherPersons | None:
    """Return the users that a folding joins; None where no more are than chance explains."""
    codes = value_codes(fold(users))
    sizes = np.bincount(codes)
    if len(sizes) == len(codes):
        return None
    texts = np.array(users.to_pylist())
    lengths = np.char.str_len(texts)
    among_lengths = len(codes) - len(sizes) - _n_joined_of_one_length(codes, lengths)
    surely = among_lengths and kind == "near_equal"
    if not surely and not _more_than_chance(texts, codes, lengths, fold):
        return None
    return _joined(kind, codes)


def _joined(kind: str, person_of_user: IntArray, column: str | None = None) -> OtherPersons:
    sizes = np.bincount(person_of_user)
    return OtherPersons(
        kind=kind,
        column=column,
        person_of_user=person_of_user,
        n_users_joined=int(sizes[sizes > 1].sum()),
        n_persons_joined=int(np.count_nonzero(sizes > 1)),
    )


def users_together(user_of_event: IntArray, seconds: IntArray) -> OtherPersons | None:
    """Return the users whose events always come at once, as those of several devices of one person do.

    Parameters
    ----------
    user_of_event, seconds
        Shape (n_events,): whose each event is, and its time in seconds; times are asked only where more than
        half of them have seconds.

    Notes
    -----
    Two users are together where nine of ten events of each, three at least, come within two seconds of one
    of the other's; users that always act at the same second of a minute are set off by a clock. Chance: b
    events within two seconds of an event are of any other user with (b + 1) / n_users; the pairs expected so,
    of each user's events together, make as many pairs as are found once in a million.
    """
    if np.count_nonzero(seconds % 60) <= len(seconds) / 2:
        return None
    n_users, order = int(user_of_event.max()) + 1, np.argsort(seconds, kind="stable")
    times, who = seconds[order], user_of_event[order]
    n_of = np.bincount(who, minlength=n_users)
    beside = np.searchsorted(times, times + _AT_ONCE, "right") - np.searchsorted(times, times - _AT_ONCE) - 1
    pair = _pairs_at_once(times, who, beside)
    pairs, n_at_once = np.unique(pair, return_counts=True)
    one, two = pairs // n_users, pairs % n_users
    always = n_at_once >= np.maximum(_ALWAYS * n_of[one], _FEWEST_TOGETHER)
    always &= ~_set_off_by_a_clock(times, who)[one]
    graph = scipy.sparse.coo_array((always, (one, two)), shape=(n_users, n_users)).tocsr()
    both = graph.multiply(graph.T)
    log_chance = np.bincount(who, np.log(np.minimum((beside + 1) / n_users, 1)), minlength=n_users)
    expected = float(np.exp(log_chance)[n_of >= _FEWEST_TOGETHER].sum()) * n_users / 2
    if not both.nnz or poisson_tail(both.nnz // 2, expected) >= _TOGETHER_BY_CHANCE:
        return None
    persons = scipy.sparse.csgraph.connected_components(both, directed=False)[1]
    return replace(_joined("together", persons.astype(np.int64)), is_named=False)


def _pairs_at_once(times: IntArray, who: IntArray, beside: IntArray) -> IntArray:
    """Return user * n_users + other user for each event of the one with an event of the other at once."""
    n_users, few = int(who.max()) + 1, beside <= _MOST_AT_ONCE
    found = [
        np.stack([at, at + ahead])
        for ahead in range(1, _MOST_AT_ONCE + 1)
        for at in [np.flatnonzero((times[ahead:] - times[:-ahead] <= _AT_ONCE) & few[:-ahead])]
    ]
    own, other = np.concatenate([*found, *(each[::-1] for each in found)], axis=1)
    own, other = own[who[own] != who[other]], other[who[own] != who[other]]
    return sorted_distinct((who[own] * n_users + who[other]) * len(times) + own) // len(times)


def _set_off_by_a_clock(times: IntArray, who: IntArray) -> BoolArray:
    """Return which users have all events within two seconds of the minute."""
    lowest, highest = np.full(int(who.max()) + 1, 60), np.full(int(who.max()) + 1, -1)
    np.minimum.at(lowest, who, times % 60)
    np.maximum.at(highest, who, times % 60)
    return cast("BoolArray", highest - lowest <= _AT_ONCE)


def users_called_tests(users: pa.Array) -> OtherPersons | None:
    """Return the users called tests, demos or the like, few beside others of which most look otherwise.

    Or that are one word with the numbers from 0 or 1 on, none left out, as accounts made in a row are.
    """
    names = users.to_pylist()
    called = {name for name in names if _TEST_WORDS.search(name)} | _made_in_a_row(names)
    if not called or len(called) > _FEW_TESTS * len(names):
        return None
    shapes = [_LETTER.sub("a", _DIGIT.sub("9", name)) for name in names]
    n_of = Counter(shapes)
    is_test = [
        name in called and n_of[shape] <= _FEW_TESTS * len(names)
        for name, shape in zip(names, shapes, strict=True)
    ]
    persons = np.where(is_test, -1, np.arange(len(names)))
    n_tests = sum(is_test)
    if not n_tests:
        return None
    return OtherPersons(
        kind="tests",
        column=None,
        person_of_user=persons,
        n_users_joined=n_tests,
        n_persons_joined=0,
        is_named=False,
    )


def _made_in_a_row(names: Sequence[str]) -> set[str]:
    rows: dict[str, dict[int, str]] = {}
    for name in names:
        if found := _IN_A_ROW.search(name):
            word = name[: found.start()]
            if len(end := word.rstrip(" ._/#-")[-2:]) == 2 and end.isalpha():
                rows.setdefault(word, {})[int(found[0])] = name
    return {
        name
        for row in rows.values()
        if len(row) >= _FEWEST_IN_A_ROW and min(row) <= 1 and max(row) - min(row) < len(row)
        for name in row.values()
    }


def cannot_be_respelt(users: pa.Array) -> bool:
    """Return whether all identifiers are as long, in small letters, digits and hyphens, such as UUIDs.

    Then no two differ in case, spaces or leading zeros; this only saves the folding of a million.
    """
    users = users.combine_chunks() if isinstance(users, pa.ChunkedArray) else users
    _, offsets, data = users.buffers()
    if not len(users) or data is None:
        return False
    ends = np.frombuffer(offsets, np.int32)[users.offset : users.offset + len(users) + 1]
    if (np.diff(ends) != ends[1] - ends[0]).any():
        return False
    text = np.frombuffer(data, np.uint8)[ends[0] : ends[-1]]
    return bool(_PLAIN_BYTES[text].all())


def _n_joined_of_one_length(codes: IntArray, lengths: IntArray) -> int:
    """Return how many identifiers folding joins with another of the same length."""
    return len(codes) - len(sorted_distinct(codes * (int(lengths.max()) + 1) + lengths))


def _more_than_chance(
    texts: np.ndarray, codes: IntArray, lengths: IntArray, fold: Callable[[pa.Array], pa.Array]
) -> bool:
    """Return whether more identifiers of one length are joined than of shuffled characters."""
    expected = 0
    for each in _shuffled(texts, lengths):
        shuffled = np.unique(each)
        expected += len(shuffled) - int(pc.count_distinct(fold(pa.array(shuffled.tolist()))).as_py())
    return _n_joined_of_one_length(codes, lengths) > _TIMES_CHANCE * expected


def _shuffled(texts: np.ndarray, lengths: IntArray) -> Iterator[np.ndarray]:
    """Yield the texts of each length with the characters of each place shuffled among them."""
    rng = np.random.default_rng(_SEED)
    for length in np.unique(lengths[lengths > 0]):
        same = np.ascontiguousarray(texts[lengths == length].astype(f"U{length}"))
        letters = same.view("U1").reshape(len(same), length)
        yield rng.permuted(letters, axis=0).view(f"U{length}").ravel()


def persons_in_columns(others: Mapping[str, pa.ChunkedArray], user_of_event: IntArray) -> OtherPersons | None:
    """Return the column that holds persons, of whom several users are one, by its name or by its values.

    Every user has one value of it (or none), and some values have several users: then the chosen
    column holds sessions, devices or record numbers. Where the name says nothing, there are many different
    values, nearly all with a digit or an @.
    """
    found = [
        replace(persons, is_named=is_named)
        for name, column in others.items()
        if ((is_named := _names_persons(name)) or _looks_like_persons(name, column, user_of_event))
        and (persons := _persons_of(name, column, user_of_event)) is not None
    ]
    return max(found, key=lambda persons: (persons.is_named, persons.n_users_joined), default=None)


def _looks_like_persons(name: str, column: pa.ChunkedArray, user_of_event: IntArray) -> bool:
    """Return whether a column whose name says nothing has as many values as persons have, like numbers."""
    is_told = {*name_tokens(name)} & _OTHER_PEOPLE or any(part in name for part in _OTHER_PEOPLE_INSIDE)
    if is_told or match_name(name) is not None:
        return False
    values = pc.drop_null(pc.unique(column.cast(pa.string())))
    like_numbers = pc.sum(pc.match_substring_regex(values, r"[0-9@]")).as_py() or 0
    n_users = int(user_of_event.max(initial=-1)) + 1
    return len(values) >= _MANY_PERSONS * n_users and like_numbers >= _LIKE_NUMBERS * max(len(values), 1)


def heads_staff(name: str) -> bool:
    """Return whether a column's name says that it numbers staff or other people who act on the log's users.

    >>> [heads_staff(name) for name in ("org:resource", "employee_no", "zdravnik", "resource type", "ward")]
    [True, True, True, False, False]
    """
    tokens = [token for token in name_tokens(name) if token not in _WORDS_OF_NUMBERS]
    return heads_other_people(" ".join(tokens)) or tokens[-1:] == ["resource"]


def _names_persons(name: str) -> bool:
    """Return whether a column's name says that it numbers the log's persons, not staff, families or names."""
    tokens = {*name_tokens(name)}
    if tokens & _OTHER_PEOPLE or any(part in name for part in _OTHER_PEOPLE_INSIDE):
        return False
    match = match_name(name)
    return bool(tokens & _PERSONS) or (match is not None and match.rule.kind in _KINDS_OF_NUMBERS)


def _persons_of(name: str, column: pa.ChunkedArray, user_of_event: IntArray) -> OtherPersons | None:
    persons = value_codes(pc.utf8_trim_whitespace(column.cast(pa.string())))
    n_users = int(user_of_event.max(initial=-1)) + 1
    person_of_user = np.zeros(n_users, dtype=np.int64)
    person_of_user[user_of_event] = persons
    if (person_of_user[user_of_event] != persons).any():
        return None  # a user has several values of it: it is about something else
    n_users_of = np.bincount(person_of_user)
    joined = n_users_of >= _FEWEST_SHARED
    if not joined.any() or np.count_nonzero(n_users_of) < _FEWEST_SHARED:
        return None
    return _joined("column", person_of_user, name)


def one_spelling(users: tuple[str, ...], user_of_event: IntArray) -> tuple[tuple[str, ...], IntArray]:
    """Return users and the user of each event, the first spelling of an identifier standing for all."""
    codes = value_codes(folded(pa.array(users, pa.string())))
    first = np.unique(codes, return_index=True)[1]
    return tuple(users[position] for position in first), codes[user_of_event]


def is_word(texts: pa.Array) -> BoolArray:
    """Return which folded identifiers are words: four characters and more, three letters in a row."""
    letters = pc.match_substring_regex(texts, r"\p{L}{3}")
    long_enough = pc.greater_equal(pc.utf8_length(texts), 4)
    return cast("BoolArray", pc.and_(letters, long_enough).to_numpy(zero_copy_only=False))
