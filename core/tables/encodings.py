"""Which encoding a text file is in, and its text as UTF-8."""

import codecs
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from core.errors import AuditInputError
from core.settings.reading import ENCODINGS
from core.words import counted, input_error, joined, own, text

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_OF_ONE_LANGUAGE = frozenset(
    codecs.lookup(name).name
    for name in (
        *("cp1250", "cp1252", "iso8859-2", "latin-1", "iso8859-15", "cp949", "euc-kr"),
        *("cp932", "shift_jis", "euc_jp", "iso2022_jp", "gb18030", "gbk", "gb2312", "big5", "cp950"),
    )
)
_JIS_ESCAPE = re.compile(rb"\x1b\$[@B]")
_BLOCK = 1 << 24
_SMALL_BLOCK = 1 << 16
_EVIDENCE = 1 << 20  # characters of a kind are counted in this many bytes around the first of them
_SAMPLED = 1 << 17  # bytes of lines beyond ASCII that tell a language
_KOREAN_SHARE = 0.8
_BROKEN_SHARE = 0.1
# KS X 1001 as bytes of CP949: first bytes of its syllables and of its symbols, least second byte.
_PRINTABLE = (0x20, 0x7E)
_HANGUL_FIRST, _SYMBOL_FIRST, _HANJA_FIRST, _STANDARD_SECOND = (0xB0, 0xC8), (0xA1, 0xAC), 0xCA, 0xA1

# Two-byte sequences of UTF-8 for å, č, š, ž and the like, or a whole character of three or four bytes.
# Text in a single-byte encoding or CP949 forms them by chance only once in a great many lines.
_TELLING_UTF8 = re.compile(rb"[\xc3-\xc5][\x80-\xbf]|[\xe0-\xf4][\x80-\xbf]{2,3}")
_THREE_BYTE_UTF8 = re.compile(rb"[\xe0-\xf4][\x80-\xbf]{2,3}")
# Everything in UTF-8 but U+0180 to U+024F, letters of African and Romani alphabets that the bytes
# of Hangul happen to form.
_NOT_CHANCE_UTF8 = re.compile(rb"[\xc2-\xc5\xca-\xf4]")


@dataclass(frozen=True, kw_only=True)
class Decoded:
    """A text file as UTF-8 without byte order mark."""

    utf8: pa.Buffer = field(repr=False)  # the text; shares the file's memory where that is UTF-8 already
    encoding: str  # the codec the file was written in
    is_as_asked: bool = True  # whether that is the encoding asked for, where one was


def read_text(data: pa.Buffer, *, name: str, encoding: str | None) -> Decoded:
    """Return a file's text as UTF-8, detecting the encoding when none is given.

    Detection looks at every byte. In this order: byte order mark; the zero bytes of UTF-16; the escapes of
    ISO 2022-JP; valid UTF-8; a Japanese or Chinese encoding in which the usual characters of the language are
    likelier than in Korean; valid CP949 that reads as Hangul; then a single-byte encoding of Central or
    Western Europe by its letters.
    An encoding asked for is that of every file read together; one that is UTF-8 beyond doubt stays so.
    """
    head = data.slice(0, min(4, data.size)).to_pybytes()
    mark, marked = next((known for known in _BYTE_ORDER_MARKS if head.startswith(known[0])), (b"", None))
    if encoding and _is_utf8_all_the_same(data, encoding, marked):
        encoding, is_as_asked = None, False
    else:
        is_as_asked = True
    chosen = encoding or marked or _detected_encoding(data, name=name)
    codec = codecs.lookup(chosen).name
    if marked and marked.startswith(codec):  # utf-16 says that a mark follows, utf-16-le which
        data, codec = data.slice(len(mark)), marked
    if codec in ("utf-8", "utf-8-sig") and is_utf8(data):
        return Decoded(utf8=data, encoding=chosen, is_as_asked=is_as_asked)
    decoder = codecs.getincrementaldecoder(codec)()
    utf8 = pa.BufferOutputStream()
    try:
        for start in range(0, data.size, _BLOCK):
            block = data.slice(start, min(_BLOCK, data.size - start))
            utf8.write(decoder.decode(block.to_pybytes()).encode())
        utf8.write(decoder.decode(b"", final=True).encode())
    except UnicodeError:
        raise _not_in_encoding(data, name=name, encoding=codec) from None
    return Decoded(utf8=utf8.getvalue(), encoding=chosen)


def _is_utf8_all_the_same(data: pa.Buffer, encoding: str, marked: str | None) -> bool:
    """Tell whether a file is UTF-8, by its mark or its letters, although another encoding was asked for."""
    if codecs.lookup(encoding).name not in _OF_ONE_LANGUAGE:
        return False
    if marked is not None:
        return marked == "utf-8-sig"
    has_letters = not _is_ascii(data) and is_utf8(data) and not _is_hangul_by_chance_utf8(data)
    return has_letters and any(_TELLING_UTF8.search(block) for block in _blocks(data))


def is_utf8(data: pa.Buffer) -> bool:
    """Tell whether all bytes together are valid UTF-8; copies nothing."""
    if _is_ascii(data):
        return True
    ends = pa.py_buffer(np.array([0, data.size], dtype=np.int64))
    try:
        pa.Array.from_buffers(pa.large_string(), 1, [None, ends, data]).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _is_ascii(data: pa.Buffer) -> bool:
    return int(np.frombuffer(data, dtype=np.uint8).max(initial=0)) < 0x80


def _detected_encoding(data: pa.Buffer, *, name: str) -> str:
    """Return the encoding of a file without byte order mark."""
    utf16 = _utf16(data)
    if utf16:
        return utf16
    if _is_ascii(data) and any(_JIS_ESCAPE.search(block) for block in _blocks(data)):
        return "iso2022_jp"
    if is_utf8(data):
        return "cp949" if _is_hangul_by_chance_utf8(data) else "utf-8"
    if eastern := _japanese_or_chinese(data):
        return eastern
    korean = _korean(data)
    _refuse_mixture(data, name=name, telling=_THREE_BYTE_UTF8 if korean.is_dominant else _TELLING_UTF8)
    if korean.is_dominant and not korean.n_broken:
        return "cp949"
    if korean.is_dominant and korean.n_broken <= _BROKEN_SHARE * korean.n_hangul:
        raise _broken_korean(data, name=name)
    return _european_encoding(_blocks(data))


def _utf16(data: pa.Buffer) -> str | None:
    """Return the UTF-16 in which a table's digits, delimiters and line ends have a zero byte each."""
    head = np.frombuffer(data.slice(0, min(data.size, _EVIDENCE)), dtype=np.uint8)
    first, second = head[: len(head) // 2 * 2].reshape(-1, 2).T
    zero_first, zero_second = int((first == 0).sum()), int((second == 0).sum())
    many, few = max(zero_first, zero_second), min(zero_first, zero_second)
    n_ascii_pairs = int((_is_between(first, _PRINTABLE) & _is_between(second, _PRINTABLE)).sum())
    if data.size % 2 or many <= n_ascii_pairs or many < 0.1 * len(first) or few > 0.25 * many:
        return None  # few need not be 0: 가 has a zero byte, too
    codec = "utf-16-le" if zero_second == many else "utf-16-be"
    text = head.tobytes().decode(codec, errors="ignore")
    return codec if ("\n" in text or "\r" in text) and "\0" not in text else None


@dataclass(frozen=True, kw_only=True)
class _Script:
    """A standard of East Asia: where its usual characters stand, by the first byte of two."""

    standard: str  # the codec of the standard itself
    usual: tuple[int, int]
    letters: str = ""  # what nearly every text holds besides

    def likelihood(self, characters: Counter[str]) -> tuple[float, float]:
        """Return the logarithm of the likelihood of characters, and the share of those that are usual."""
        n_usual = (self.usual[1] - self.usual[0] + 1) * _PLACES
        logarithm, usual, total = 0.0, 0, 0
        for character, count in characters.items():
            try:
                code = character.encode(self.standard)
            except UnicodeEncodeError:
                code = b""
            is_letter = character in self.letters
            is_usual = len(code) == _PAIR and self.usual[0] <= code[0] <= self.usual[1]
            if unicodedata.category(character)[0] in "PSZ":  # of every language
                logarithm += count * math.log(_OF_SYMBOLS)
                continue
            share = _OF_LETTERS / len(self.letters) if is_letter else _OF_USUAL / n_usual
            logarithm += count * math.log(share if is_letter or is_usual else _OF_REST / _N_REST)
            usual += count * (is_letter or is_usual)
            total += count
        return logarithm, usual / total if total else 0.0


_PAIR, _PLACES = 2, 94
_OF_USUAL, _OF_LETTERS, _OF_REST, _N_REST = 0.7, 0.28, 0.02, 8000  # shares of a text, and characters
_OF_SYMBOLS = 0.03 / 500  # of each
_KANA = "".join(map(chr, (*range(0x3041, 0x3094), *range(0x30A1, 0x30F7), 0x30FC)))
_JIS = _Script(standard="euc_jp", usual=(0xB0, 0xCF), letters=_KANA)
_SCRIPTS: Mapping[str, _Script] = MappingProxyType(
    {
        "cp949": _Script(standard="euc_kr", usual=(0xB0, 0xC8)),
        "cp932": _JIS,
        "euc_jp": _JIS,
        "gb18030": _Script(standard="gb2312", usual=(0xB0, 0xD7)),
        "cp950": _Script(standard="big5", usual=(0xA4, 0xC6)),
    }
)
_MOSTLY, _FEWEST_CHARACTERS = 0.8, 4  # usual characters, from which a text is of a language
_BESIDE_EACH_OTHER = 0.4  # of the bytes beyond ASCII, in a script that has two for each character


def _japanese_or_chinese(data: pa.Buffer) -> str | None:
    """Return the encoding in which a file reads as Japanese or Chinese; None where it reads as neither."""
    sample = _lines_beyond_ascii(data)
    beyond = np.frombuffer(b"\n" + sample + b"\n", dtype=np.uint8) >= _FIRST_BEYOND_ASCII
    if (beyond[1:-1] & (beyond[:-2] | beyond[2:])).sum() < _BESIDE_EACH_OTHER * beyond.sum():
        return None  # single letters among others, as in Europe
    found = {}
    for codec, script in _SCRIPTS.items():
        try:
            text = sample.decode(codec, errors="replace" if codec == "cp949" else "strict")
        except UnicodeDecodeError:
            continue
        characters = Counter(re.sub(r"[\x00-\x7f]+", "", text))
        found[codec] = (*script.likelihood(characters), len(characters))
    best = max(found, key=lambda codec: found[codec][0], default="cp949")
    _, share, n = found.get(best, (0.0, 0.0, 0))
    if best == "cp949" or share < _MOSTLY or n < _FEWEST_CHARACTERS or not _is_valid(data, best):
        return None
    return best


def _lines_beyond_ascii(data: pa.Buffer) -> bytes:
    """Return the first lines that hold more than ASCII."""
    taken, size = [], 0
    for _, line in _lines(data):
        taken.append(line)
        size += len(line)
        if size >= _SAMPLED:
            break
    return b"\n".join(taken)


def _is_valid(data: pa.Buffer, codec: str) -> bool:
    decoder = codecs.getincrementaldecoder(codec)()
    try:
        for block in _blocks(data):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _is_hangul_by_chance_utf8(data: pa.Buffer) -> bool:
    """Tell whether valid UTF-8 is CP949 all the same: 홍 and 황 are valid in both, and rare in one."""
    if _is_ascii(data) or any(_NOT_CHANCE_UTF8.search(block) for block in _blocks(data)):
        return False
    korean = _korean(data)
    return korean.is_dominant and not korean.n_broken


@dataclass(frozen=True, kw_only=True)
class _Korean:
    """How well a file reads as CP949: its common syllables, other characters, and broken ones."""

    n_hangul: int
    n_other: int
    n_broken: int

    @property
    def is_dominant(self) -> bool:
        return self.n_hangul > 0 and self.n_hangul >= _KOREAN_SHARE * (self.n_hangul + self.n_other)


def _is_between(values: npt.NDArray[np.uint8], bounds: tuple[int, int]) -> npt.NDArray[np.bool_]:
    return (values >= bounds[0]) & (values <= bounds[1])


def _korean(data: pa.Buffer) -> _Korean:
    """Count what CP949 would make of a file."""
    # a second byte of the 8,822 syllables beyond KS X 1001 may be a Latin letter: š and ž form them
    n_hangul = n_other = n_broken = 0
    for block in _blocks(data):
        for run in re.findall(r"[^\x00-\x7f]+", block.decode("cp949", errors="replace")):
            n_broken += run.count("\ufffd")
            pairs = run.replace("\ufffd", "").encode("cp949", errors="ignore")
            first = np.frombuffer(pairs, dtype=np.uint8)[::2]
            second = np.frombuffer(pairs, dtype=np.uint8)[1::2]
            in_standard = second >= _STANDARD_SECOND
            common = _is_between(first, _HANGUL_FIRST) & in_standard
            neutral = (_is_between(first, _SYMBOL_FIRST) | (first >= _HANJA_FIRST)) & in_standard
            n_hangul += int(common.sum())
            n_other += len(first) - int(common.sum()) - int(neutral.sum())
        if n_broken > n_hangul:
            break
    return _Korean(n_hangul=n_hangul, n_other=n_other, n_broken=n_broken)


def _refuse_mixture(data: pa.Buffer, *, name: str, telling: re.Pattern[bytes]) -> None:
    """Raise when some lines are UTF-8 beyond chance and others are not UTF-8 at all."""
    n_valid = n_invalid = first_valid = first_invalid = 0
    for number, line in _lines(data):
        try:
            line.decode()
        except UnicodeDecodeError:
            n_invalid += 1
            first_invalid = first_invalid or number
        else:
            if telling.search(line):
                n_valid += 1
                first_valid = first_valid or number
    if n_valid and n_invalid:
        is_utf8_rare = n_valid < n_invalid
        mixed = (
            "{file}: the file mixes encodings; line {line} is UTF-8, unlike {others}."
            if is_utf8_rare
            else "{file}: the file mixes encodings; line {line} is not UTF-8, unlike {others}."
        )
        odd = first_valid if is_utf8_rare else first_invalid
        others = counted(max(n_valid, n_invalid), "other line")
        remedy = "Save the whole file in one encoding, best UTF-8, or choose the encoding by hand."
        raise AuditInputError(joined([text(mixed, file=name, line=odd, others=others), remedy]))


def _broken_korean(data: pa.Buffer, *, name: str) -> AuditInputError:
    number = next(number for number, line in _lines(data) if _breaks(line, "cp949"))
    return input_error(
        "{file}: the file is Korean text in CP949, but line {line} holds bytes that are not, such as "
        "half a character. Repair that line, or choose the encoding by hand.",
        file=name,
        line=number,
    )


def _breaks(line: bytes, encoding: str) -> bool:
    try:
        line.decode(encoding)
    except UnicodeDecodeError:
        return True
    return False


def _not_in_encoding(data: pa.Buffer, *, name: str, encoding: str) -> AuditInputError:
    decoder = codecs.getincrementaldecoder(encoding)()
    number = 1
    for start in range(0, data.size, _SMALL_BLOCK):
        block = data.slice(start, min(_SMALL_BLOCK, data.size - start)).to_pybytes()
        try:
            number += decoder.decode(block).count("\n")
        except UnicodeDecodeError as error:
            number += bytes(error.object[: error.start]).decode(encoding, errors="ignore").count("\n")
            break
        except UnicodeError:  # UTF-16 without the mark it needs
            break
    return input_error(
        "{file}: line {line} is not valid {encoding}. Choose another encoding, or let it be detected.",
        file=name,
        line=number,
        encoding=own(ENCODINGS.get(encoding, encoding)),
    )


def _lines(data: pa.Buffer) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that hold more than ASCII, with their numbers from 1."""
    number = 0
    for block in _blocks(data):
        for line in block.splitlines():
            number += 1
            if not line.isascii():
                yield number, line


def _blocks(data: pa.Buffer) -> Iterator[bytes]:
    """Yield a file in blocks that end where a line ends."""
    start = 0
    while start < data.size:
        block = data.slice(start, min(_BLOCK, data.size - start)).to_pybytes()
        if start + len(block) < data.size:
            block = block[: max(block.rfind(b"\n"), block.rfind(b"\r")) + 1] or block
        start += len(block)
        yield block


_WORD = re.compile(rb"(?<![A-Za-z\x80-\xff])[A-Za-z]*[\x80-\xff][A-Za-z\x80-\xff]*")
_N_WORDS = 200_000
_FIRST_BEYOND_ASCII = 0x80
_VOWELS = frozenset("aeiouyAEIOUY")
_ASCII, _BEYOND_ASCII = bytes(range(0x80)), bytes(range(0x80, 0x100))
_SHARED_WINDOWS = frozenset(range(0x80, 0xA0))

# Letters that are a consonant in CP1250 and a vowel in CP1252, at the same byte: č è, ć æ, ř ø, …
_CONSONANT_OR_VOWEL = frozenset("čćŕďňřČĆŔĎŇŘ")
# Letters of š and ž: the same byte in both, but only Central European words are full of them.
_CARONS = frozenset("šžŠŽ")
_WESTERN_SIGNS = frozenset("çÇ")
# ² ³ ¹ ª º at the end of a short word are units and ordinals (m², nº), not ą ł ş.
_RAISED, _LONGEST_UNIT = frozenset("²³¹ªº"), 3
# ĺ å, đ ð, ę ê, ě ì, ő õ, ů ù, ű û, ă ã, ń ñ, ţ þ share a byte: which is likelier in a table.
_PAIRS = {
    letter: vote
    for letters, vote in (("ĺĹ", -1.0), ("đĐ", 1.0), ("ęěőůű", 0.5), ("ăńţ", -0.5))
    for letter in letters
}


def _european_encoding(blocks: Iterable[bytes]) -> str:
    """Return ``cp1250``, ``iso8859-2``, ``cp1252`` or ``latin-1``, as the words read best; else Western."""
    words: Counter[bytes] = Counter()
    used: set[int] = set()
    for block in blocks:
        words.update(islice(_WORD.findall(block), _N_WORDS))
        used.update(block.translate(None, _ASCII) if len(used) < len(_BEYOND_ASCII) else b"")
    central = _central_votes(words)
    if _is_iso(words, used):
        return "iso8859-2"
    western = "cp1252" if used & _SHARED_WINDOWS else "latin-1"
    order = ("cp1250", western) if central > 0 else (western, "cp1250")
    return next((codec for codec in order if _decodes(used, codec)), "latin-1")


def _decodes(used: set[int], codec: str) -> bool:
    try:
        bytes(used).decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _is_iso(words: Counter[bytes], used: set[int]) -> bool:
    """Tell whether š and ž stand where ISO 8859-2 has them, inside words, and nowhere else."""
    if used & _SHARED_WINDOWS:
        return False
    n_carons = n_other = 0
    for word, count in words.items():
        text = word.decode("iso8859-2")
        n_carons += count * sum(letter in _CARONS for letter in text) * (len(text) > 1)
        n_other += count * sum(letter in "ąęłżńśźĄĘŁŻŃŚŹ" for letter in text)
    return n_carons > n_other


def _central_votes(words: Counter[bytes]) -> float:
    """Return how much words speak for Central (positive) or Western Europe (negative).

    Letters that both encodings have at the same byte, š and ž among them, speak only where no other letters
    speak for the West: CP1252 alone has å, ñ or ø beside š.
    """
    differing = shared = 0.0
    for word, count in words.items():
        central = word.decode("cp1250", errors="replace")
        western = word.decode("cp1252", errors="replace")
        for position, (here, there) in enumerate(zip(central, western, strict=True)):
            if word[position] < _FIRST_BEYOND_ASCII:
                continue
            if here == there:
                shared += min(count, 50) * (2.0 * (here in _CARONS) - 2.0 * (here in _WESTERN_SIGNS))
            else:
                differing += min(count, 50) * _letter_vote(central, western, position)
    return differing if differing < 0 else differing + shared


def _letter_vote(central: str, western: str, position: int) -> float:
    here, there = central[position], western[position]
    if there in _RAISED and position == len(central) - 1 < _LONGEST_UNIT:
        return -3.0
    if len(central) > 1 and here.isalpha() != there.isalpha():
        return 3.0 if here.isalpha() else -3.0
    if here in _CONSONANT_OR_VOWEL:
        return _consonant_vote(central, position)
    return _PAIRS.get(here, 0.0)


def _consonant_vote(word: str, position: int) -> float:
    """Return a vote for a consonant (positive) or a vowel (negative) at a place of a word."""
    before, after = word[position - 1 : position], word[position + 1 : position + 2]
    if not before:
        return 1.0 if after else -1.0
    if after and _is_vowel(after):
        return 1.0
    if _is_vowel(before):
        return 1.0 if not after or after in "nkjlhNKJLH" else -1.0
    return -1.0 if after else -0.5


def _is_vowel(letter: str) -> bool:
    return unicodedata.normalize("NFD", letter)[0] in _VOWELS
