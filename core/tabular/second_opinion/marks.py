"""Marks that stand where a value was taken out, such as ``***`` or ``[REDACTED]``.

They are blanks to the second opinion; the published rule counts them as values that remain.
"""

from functools import cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from core.cells import text_and_offsets

_WORDS = (
    "redacted masked removed deleted suppressed hidden anonymized anonymised anonymous confidential withheld "
    "censored erased undisclosed deidentified de-identified scrubbed omitted obfuscated blinded "
    "삭제 삭제됨 삭제처리 비공개 마스킹 마스킹됨 마스킹처리 비식별 비식별화 비식별처리 익명 익명화 "
    "익명처리 가림 제거 제거됨 생략 미공개 "
    "izbrisano izbrisan izbrisana odstranjeno odstranjen skrito prikrito zakrito anonimizirano anonimno "
    "anonimiziran zaupno maskirano zamaskirano cenzurirano izpuščeno pobrisano obrisano uklonjeno "
    "gelöscht entfernt geschwärzt anonymisiert unkenntlich supprimé masqué anonymisé caviardé effacé "
    "eliminado borrado oculto suprimido anonimizado rimosso oscurato cancellato anonimizzato usunięto ukryto"
)
_PHRASES = ("not disclosed", "not released", "data removed", "value removed", "personal data")
_BRACKETS = ("{}", "[{}]", "({})", "<{}>", "{{{}}}", "*{}*", "**{}**", "***{}***", "-{}-", "--{}--", "_{}_")
_FILLERS = "*#-_.?=~·…•●○◯■□█▇※–—"
_LETTERS = "xXㅇ○×"  # letters written for what is not shown; a single one may be a value
_LONGEST = 63  # bytes
_ALL_MASKED = r"^[*#xX•○●■×][*#xX•○●■×\s\-_.@/()]*[*#xX•○●■×]$"  # such as ***-****-**** or XX/XX/XXXX


@cache
def _marks() -> pa.Array:
    """Return every mark in every spelling."""
    words = [*_WORDS.split(), *_PHRASES, *(word.replace(" ", "_") for word in _PHRASES)]
    spelled = {form for word in words for form in (word, word.upper(), word.capitalize(), word.title())}
    marks = {bracket.format(word) for word in spelled for bracket in _BRACKETS}
    marks |= {sign * n for sign in _FILLERS for n in range(1, _LONGEST)}
    marks |= {letter * n for letter in _LETTERS for n in range(2, _LONGEST)}
    return pa.array(sorted(mark for mark in marks if len(mark.encode()) <= _LONGEST), pa.large_string())


@cache
def _outlines() -> npt.NDArray[np.bool_]:
    """Return shape (256, 256, 64): whether a mark has a first byte, a last byte and a length."""
    known = np.zeros((256, 256, _LONGEST + 1), dtype=bool)
    for mark in _marks().to_pylist():
        text = mark.encode()
        known[text[0], text[-1], len(text)] = True
    masking = np.frombuffer(b"*#xX", np.uint8)
    known[np.ix_(masking, masking)] = True
    return known


@cache
def _beginnings() -> npt.NDArray[np.bool_]:
    """Return shape (256,): whether a mark begins with a byte."""
    return np.asarray(_outlines().any(axis=(1, 2)))


def marked(values: pa.Array) -> npt.NDArray[np.bool_] | None:
    """Return shape (n_values,): which texts are marks; None where none is."""
    rows = _candidates(values)
    if not len(rows):
        return None
    texts = values.take(pa.array(rows)).cast(pa.large_string())
    found = pc.or_(pc.is_in(texts, value_set=_marks()), pc.match_substring_regex(texts, _ALL_MASKED))
    marks = np.zeros(len(values), dtype=bool)
    marks[rows] = found.to_numpy(zero_copy_only=False)
    return marks if marks.any() else None


def _candidates(values: pa.Array) -> npt.NDArray[np.int64]:
    """Return which texts begin, end and are long as a mark."""
    letters, offsets = text_and_offsets(values)
    if not len(letters):
        return np.zeros(0, dtype=np.int64)
    rows = np.flatnonzero(_beginnings()[letters.take(offsets[:-1], mode="clip")])
    starts, ends = offsets[rows], offsets[rows + 1]
    short = (ends - starts <= _LONGEST) & (ends > starts)
    rows, starts, ends = rows[short], starts[short], ends[short]
    return rows[_outlines()[letters[starts], letters[ends - 1], ends - starts]]
