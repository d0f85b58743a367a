"""What the actions of an anonymization log mean, in the words that people write into logs.

The published rule knows nine actions by name; the second opinion also understands what others call their
work: words of twelve languages, in any form (``round``, ``rounded``, ``rounding_to_10``, ``gerundet``). What
no word fits is unknown, and told so; so is what a word denies (``nicht gelöscht``).
"""

import re
import unicodedata
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType


class Meaning(StrEnum):
    """What was done to a column, by its log."""

    KEPT = "kept"
    GONE = "gone"
    PSEUDONYM = "pseudonym"
    COARSER = "coarser"
    CUT_OFF = "cut off"
    DISTURBED = "disturbed"
    SWAPPED = "swapped"
    REPLACED = "replaced"


# Meaning to language to beginnings of its words, without accents.
# Of an action that several of these fit, the first in this order counts: `keep_if_permitted_else_drop` is
# no plain `keep`, and `replace_with_noise` disturbs.
_WORDS: Mapping[Meaning, Mapping[str, str]] = MappingProxyType(
    {
        Meaning.PSEUDONYM: {
            "en": r"pseudonym|tokeni[sz]|hash|encrypt|hmac|recod(?:e|ed|ing)?ids?$",
            "ko": "가명|해시|암호화",
            "sl": "psevdonim|sifrir",
            "de": "verschlussel",
            "fr": "chiffr(?:e|ee|er|ement)$|hache(?:e|s|r)*$",
            "es|it|pt": "seudonim|pseudonim|cifra(?:do|da|to|ta|r)$|crittograf|criptograf",
            "nl|pl": "versleutel|zaszyfrow|szyfrowan",
            "ja": "仮名|ハッシュ|暗号化|トークン",
            "zh": "假名|化名|哈希|散列|加密|令牌",
        },
        Meaning.CUT_OFF: {
            "en": "(?:top|bottom)(?:and(?:top|bottom))?cod|winsori|clip|capp(?:ed|ing)|^cap",
            "ko|sl": "상하단|omejen",
            "de|nl": "gekappt|kappung|gedeckelt|afgetopt|begrensd",
            "fr": "plafonn",
            "es|it|pt": "topead|acotad|limitat|limitad",
            "ja|zh": "上限|下限|トップコーディング|截尾|编码截断",
        },
        Meaning.DISTURBED: {
            "en": "nois|perturb|jitter|laplac|gauss|"
            "disturb|randomi[sz]edresponse|^pram|postrandomi[sz]|"
            "differentialpriva|date?shift|shift|microaggreg",
            "ko": "잡음|노이즈|교란",
            "sl": "sum$|dodan.*sum|zamik",
            "de|nl": "rausch|verschob|verschieb|^ruis|ruis$",
            "fr": "bruit|decalage|decale",
            "es|it|pt": "ruido|desplaza|rumore|spostat|desloca",
            "pl": "szum|zaburz|przesunie",
            "ja": "ノイズ|雑音|摂動|シフト|ずらし",
            "zh": "噪声|噪音|雜訊|扰动|擾動|平移",
        },
        Meaning.SWAPPED: {
            "en": "swap|shuffl|permut",
            "ko|sl": "섞|교환|재배열|zamenja|premesa",
            "de|nl": "vertausch|durchmisch|verwissel|geschud",
            "fr": "echang|melang",
            "es|it|pt": "intercambi|scambiat|mescola|troca|embaralh",
            "pl": "przetasow|przestawi",
            "ja|zh": "入れ替え|入替|シャッフル|スワップ|交換|交换|打乱|洗牌",
        },
        Meaning.REPLACED: {
            "en": "surrogat|fak(?:e|er|ed|ing)|synthe|substitut|replac|randomi[sz]|random|impute",
            "ko|sl": "대체|합성|nadomest",
            "de|nl": "ersetz|ersatz|vervang",
            "fr": "remplac",
            "es|it|pt": "reemplaz|sustitu|sintet|sostitui",
            "pl": "zastapi|syntet",
            "ja|zh": "置き換え|置換|代替|合成|ダミー|替换|替換|置换|虚构|替代",
        },
        Meaning.COARSER: {
            "en": "generali[sz]|anonymi[sz]|anonimi[sz]|detail|round|"
            "^bin|binn(?:ed|ing)|bins?$|bucket|"
            "band(?:ed|ing|s)?$|coars|categori[sz]|recod|group|interval|range|aggregat|truncat|floor|ceil|"
            "shorten|mask|blur|quanti|discreti",
            "ko": "익명|일반화|범주화|반올림|올림|내림|라운딩|총계|마스킹|구간",
            "sl": "posplos|zaokroz|razred|maskir|skrajsa|zdruzi",
            "de": "verallgemein|vergrober|gerundet|rundung|^runden|"
            "gruppier|klassier|kategori|gekurzt|kurzung|aggregier",
            "fr": "arrondi|regroup|agreg|tronqu|masqu",
            "es|it|pt": "redonde|agrup|agregad|truncad|enmascar|"
            "arrotond|raggrupp|troncat|mascher|arredond|mascarad",
            "nl": "veralgemen|afgerond|afrond|gegroepeer|ingekort|gemaskeer",
            "pl": "uogoln|zaokragl|grupowan|skroco|maskowan",
            "ja": "一般化|匿名化|丸め|四捨五入|切り捨て|区分|階級|グループ化|マスキング|カテゴリ|粗",
            "zh": "泛化|概化|脱敏|四舍五入|取整|分组|分組|区间|區間|掩码|遮蔽|聚合|截断",
        },
        Meaning.GONE: {
            "en": "^drop|suppress|delet|remov|redact|blank|eras|omit|^null|exclud|eliminat",
            "ko": "삭제|제거|제외|비식별",
            "sl": "izbris|odstran|izpust|prikri|zatr",
            "de": "geloscht|loschen|loschung|entfern|unterdruck|geschwarz|weggelassen|gestrichen",
            "fr": "supprim|efface|^retire|enleve|omis(?:e|es)?$",
            "es|it|pt": "eliminad|borrad|suprimi|quitad|cancellat|soppress|rimoss|oscurat|apagad|excluid",
            "nl": "verwijder|gewist|weggelaten|onderdruk",
            "pl": "usuni|skasow|pominie",
            "ja": "削除|除去|消去|抑制|除外|非表示|墨消し",
            "zh": "删除|刪除|移除|去除|清空|剔除",
        },
    }
)
_KEPT = """
keep kept retain(?:ed)? unchanged asis none noaction nochange preserved? passthrough 유지 원본유지 ohrani
ohranjeno nespremenjeno behalten beibehalten unverandert belassen conserve(?:e|r)? garde(?:e|r)?
inchange(?:e)? conservad[oa] mantenid[oa] sincambios mantenut[oa] conservat[oa] invariat[oa] mantid[oa]
inalterad[oa] behouden ongewijzigd zachowan[oaye] niezmienion[oaye] bezzmian 保持 維持 そのまま 変更なし
保留 不变 不變 原样
"""
_PATTERNS = {meaning: re.compile("|".join(words.values())) for meaning, words in _WORDS.items()} | {
    Meaning.KEPT: re.compile(f"(?:{'|'.join(_KEPT.split())})")
}
_NEGATION = re.compile(
    r"^(?:no|not|non|without|un|ne|brez|nicht|keine?|ohne|pas|sans|sin|senza|sem|nao|niet|geen|nie|bez)"
    r"(?:_|$)"
    r"|^(?:未|没|沒|不|勿)|(?:しない|せず|していない|なし|안함|않음)$|(?:_nicht|_pas|_niet)$"
)
_NO_LETTER = re.compile(r"[\W_]+")
_UMLAUT = re.compile("([aou])e")  # as in `geloescht`


@lru_cache(maxsize=1024)
def meaning_of(action: str) -> Meaning | None:
    """Return what a logged action means, None where that is not known.

    >>> [str(meaning_of(word)) for word in ("Rounding", "top-code", "local_suppression", "가명처리", "bless")]
    ['coarser', 'cut off', 'gone', 'pseudonym', 'None']
    """
    plain = unicodedata.normalize("NFKC", action).casefold()
    decomposed = unicodedata.normalize("NFD", plain)
    plain = unicodedata.normalize("NFC", "".join(c for c in decomposed if not "\u0300" <= c <= "\u036f"))
    words = _NO_LETTER.sub("_", plain).strip("_")
    squashed = words.replace("_", "")
    if _PATTERNS[Meaning.KEPT].fullmatch(squashed):
        return Meaning.KEPT
    if _NEGATION.search(words):
        return None
    spellings = (squashed, _UMLAUT.sub(r"\1", squashed))
    found = (
        meaning
        for spelling in spellings
        for meaning, pattern in _PATTERNS.items()
        if meaning is not Meaning.KEPT and pattern.search(spelling)
    )
    return next(found, None)
