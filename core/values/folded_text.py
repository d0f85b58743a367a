"""What written values mean: the same in several spellings, and words that say that nothing is known."""

import re
from typing import cast

import pyarrow as pa
import pyarrow.compute as pc

from core.coding import BoolArray

_KEPT = dict(zip(".,:/-%", map(chr, range(0xE000, 0xE006)), strict=True))  # stand in while others go


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Words that say that nothing is known, as `folded_text` writes them.
_UNKNOWN_WORDS = _words(
    "na nan null missing unknown unk notknown notstated notavailable notgiven notspecified unspecified "
    "notrecorded notreported unreported notanswered noanswer noresponse noinformation noinfo nodata "
    "undetermined undisclosed refused declined withheld dontknow prefernottosay prefernottoanswer 모름 미상 "
    "불명 무응답 응답거부 알수없음 알수없다 정보없음 자료없음 확인불가 미확인 미기재 미입력 응답없음 "
    "답변거부 neznano nepoznano niznano nepodano nipodatka nipodatkov brezodgovora brezpodatka nevem "
    "neopredeljeno nezabeleženo odklonil odklonila unbekannt keineangabe keineangaben weißnicht weissnicht "
    "nichtbekannt verweigert inconnu inconnue nonrenseigné nonrenseignée nonrenseigne nesaitpas refus "
    "sansréponse desconocido desconocida nosabe nocontesta nsnc sindatos sinrespuesta sconosciuto nonnoto "
    "nonso desconhecido semresposta nieznane brakdanych bezodgovora nijepoznato 不明 未記入 無回答 回答拒否 "
    "未確認 わからない 未知 不详 不詳 अज्ञात"
)
# beside such a word these say nothing too
_NOTHING = ("없음", "해당없음", "해당사항없음", "notapplicable", "none", "other", "기타", "該当なし")
_LONG = "|".join(word for word in _UNKNOWN_WORDS if len(word) > 3 or not word.isascii())
# several such words, or one beside a word for nothing
_ONLY_UNKNOWN = rf"^(?:{'|'.join(_NOTHING)})?(?:{_LONG})+(?:{'|'.join(_NOTHING)})?$"

# Results and answers in a word, casefolded; and how words of such a result begin.
_YES = frozenset(
    _words("+ ++ +++ ++++ 1 t true y yes pos positive d da j ja o oui si sí 예 네 유 있음 있다 해당")
)
_NO = frozenset(
    _words(
        "- 0 f false n no neg negative ne ni nein nicht kein keine non not brez 아니오 아니요 무 없음 없다"
    )
)
_YES_BEGINS = re.compile("positiv|pozitiv|reactiv|reaktiv|detected|양성")
_NO_BEGINS = re.compile("negativ|nonreact|nonreakt|nereakt|notdetect|undetect|음성")
_ENDS = re.compile(r"[^\W\d_]{3,40}(?:\s?(?P<sign>[+-])|[\s-](?P<word>pos|neg)\.?)$")  # as HIV+ and HBV neg.


def says_result(text: str) -> bool | None:
    """Return whether a text says yes, or a positive result; False for no or a negative one, else None.

    >>> [says_result(text) for text in ("POS.", "++", "non-reactive", "je pozitiven", "음성", "flu", "A+")]
    [True, True, False, True, False, None, None]
    """
    if ends := _ENDS.search(text.casefold().strip()):
        return (ends["sign"] or ends["word"]) in ("+", "pos")
    words = [word for word in re.split(r"[^\w+-]+|(?<=\w)-|_", text.casefold()) if word]
    if any(_NO_BEGINS.match(word) for word in (*words, "".join(words))) or (words and words[0] in _NO):
        return False
    if any(_YES_BEGINS.match(word) for word in words):
        return not _NO.intersection(words)
    return True if words and all(word in _YES for word in words) else None


def folded_text(values: pa.Array) -> pa.Array:
    """Return texts without case, width, spaces and punctuation.

    >>> folded_text(pa.array(["H.I.V.", " hiv", "J45.0", "Rh-", "10-20", "<=50K"])).to_pylist()
    ['hiv', 'hiv', 'j45.0', 'rh-', '10-20', '<=50k']
    """
    texts = pc.utf8_lower(pc.utf8_normalize(values.cast(pa.large_string()), form="NFKC"))
    if not pc.any(pc.match_substring_regex(texts, r"[\s\p{Z}\p{P}\p{Cf}]")).as_py():
        return texts
    for _ in range(2):  # in 1.2.3 the second point follows a digit that the first one took
        for sign in ".,:/-":
            texts = pc.replace_substring_regex(texts, rf"(\d)\{sign}(\d)", rf"\1{_KEPT[sign]}\2")
    texts = pc.replace_substring_regex(texts, r"^(\s*)[-−](\d)", rf"\1{_KEPT['-']}\2")
    texts = pc.replace_substring_regex(texts, r"[-−]\s*$", _KEPT["-"])
    texts = pc.replace_substring(texts, "%", _KEPT["%"])
    texts = pc.replace_substring_regex(texts, r"[\s\p{Z}\p{P}\p{Cf}]", "")
    for sign, stand_in in _KEPT.items():
        texts = pc.replace_substring(texts, stand_in, sign)
    return texts


def says_unknown(folded: pa.Array) -> BoolArray:
    """Return which folded texts say that nothing is known; a lone minus is a result beside a plus."""
    words = pc.is_in(folded, value_set=pa.array(_UNKNOWN_WORDS, pa.large_string()))
    words = pc.or_(words, pc.fill_null(pc.match_substring_regex(folded, _ONLY_UNKNOWN), False))
    empty = pc.fill_null(pc.equal(folded, ""), False)
    minus = pc.fill_null(pc.equal(folded, "-"), False)
    if pc.any(pc.equal(folded, "+")).as_py():
        minus = pc.and_(minus, False)
    found = pc.or_(pc.or_(words, empty), minus)
    return cast("BoolArray", found.to_numpy(zero_copy_only=False))
