"""Numbers of persons and of their devices, told by check digits and dates inside them, whatever the header.

A column is of a kind where its values are valid far more often than the same letters and digits in another
order: by chance in fewer than 1 of 10⁹ columns a kind, and 1 of 10⁷ columns of any.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from stdnum import casrn, cusip, ean, iban, imei, isbn, isin, issn, meid
from stdnum.util import get_cc_module

from core.chance import binomial_tail

_PERSONS = """
ar.cuit at.vnr au.tfn be.bis be.nn bg.egn bg.pnf br.cpf ca.bc_phn ca.sin ch.ssn cl.rut cn.ric co.nit cr.cpf
cu.ni cz.rc de.idnr dk.cpr do.cedula ec.ci ee.ik es.dni es.nie fi.hetu fr.nif fr.nir gb.nhs gr.amka hr.oib
id.nik ie.pps il.idnr in_.aadhaar in_.pan is_.kennitala it.codicefiscale jp.in_ kr.rrn lt.asmens mx.curp
my.nric nl.bsn nl.onderwijsnummer no.fodselsnummer nz.ird pe.cui pl.pesel pt.cc pt.nif ro.cnp ru.inn
se.personnummer si.ddv si.emso sk.rc th.pin tr.tckimlik ua.rntrc za.idnr
""".split()  # noqa: SIM905 - a list of sixty words is no easier to read
_NATIONAL, _ACCOUNT = "national identification number", "identity document or account number"
_KINDS = {
    **dict.fromkeys(("imei", "meid"), "online identifier or network address"),
    **dict.fromkeys(("iban", "es.ccc", "no.kontonr"), _ACCOUNT),
    **dict.fromkeys(_PERSONS, _NATIONAL),
}
_OF_NO_COUNTRY = {"imei": imei, "meid": meid, "iban": iban}
_OF_THINGS = (isbn, ean, isin, cusip, issn, casrn)  # of the same build as numbers of persons
_BRITISH = "4679"  # of health numbers; ISBN-10 has the same check digit
_FEWEST, _MOST_LOOKED_AT, _GLANCE = 20, 100, 8  # distinct values
_MOSTLY = 0.8
_N_ORDERS = 5  # other orders of each value
_CHANCE = 1e-9
_LIKELY, _FEWEST_DIGITS = re.compile(r"[A-Za-z\d][A-Za-z\d ./\-]{6,40}"), 6


def checked_kind(values: Sequence[str], *, fewest: int = _FEWEST) -> tuple[str, float] | None:
    """Return what numbers with check digits are, and the share that is valid; None of others.

    `values` are distinct and trimmed; with fewer than `fewest` nothing is said. Dates, and what has fewer
    than 6 digits in 7 letters, are no such numbers.
    """
    if len(values) < fewest or not all(map(_may_be_one, values[:_GLANCE])):
        return None
    some = values[:_MOST_LOOKED_AT]
    for name, kind in _KINDS.items():
        is_valid = _validity(name)
        if sum(not is_valid(value) for value in some[:2]) > 1 or not _mostly(is_valid, some[:_GLANCE]):
            continue
        if not _mostly(is_valid, some) or not _is_no_chance(is_valid, some):
            continue
        if name == "gb.nhs" or not any(_mostly(each.is_valid, some) for each in _OF_THINGS):
            return kind, sum(map(is_valid, some)) / len(some)
    return None


def _may_be_one(value: str) -> bool:
    return _LIKELY.fullmatch(value) is not None and sum(map(str.isdigit, value)) >= _FEWEST_DIGITS


def _mostly(is_one: Callable[[str], bool], values: Sequence[str]) -> bool:
    return sum(map(is_one, values)) >= _MOSTLY * len(values)


@cache
def _validity(name: str) -> Callable[[str], bool]:
    module = _OF_NO_COUNTRY.get(name) or get_cc_module(*name.split("."))
    is_valid: Callable[[str], bool] = module.is_valid
    if name == "gb.nhs":
        return lambda value: value[0] in _BRITISH and is_valid(value)
    return is_valid


def _is_no_chance(is_valid: Callable[[str], bool], values: Sequence[str]) -> bool:
    rng = np.random.default_rng(0)
    others = [_in_other_order(value, rng) for value in values for _ in range(_N_ORDERS)]
    by_chance = (1 + sum(map(is_valid, others))) / (1 + len(others))
    n_valid = sum(map(is_valid, values))
    return bool(binomial_tail(n_valid, len(values), min(by_chance, 1.0)) < _CHANCE)


def _in_other_order(value: str, rng: np.random.Generator) -> str:
    """Return a text with its digits, and its letters, in a random order, each where one of them stood."""
    characters = list(value)
    for is_one in (str.isdigit, str.isalpha):
        places = [place for place, one in enumerate(value) if is_one(one)]
        for place, source in zip(places, rng.permutation(places), strict=True):
            characters[place] = value[source]
    return "".join(characters)
