"""Detached signatures in OpenSSH's format (SSHSIG) with Ed25519 keys, made and verified without a network.

What ``ssh-keygen -Y sign`` writes is read here, and ``ssh-keygen -Y verify`` reads what is written here.
"""

import base64
import binascii
import hashlib
import shlex
import struct
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_ssh_private_key,
)

from core.words import input_error

NAMESPACE = "anonaudit"
_SWITCHES = ("cert-authority", "no-touch-required", "verify-required")  # options without a value
_MAGIC, _VERSION, _KIND = b"SSHSIG", 1, b"ssh-ed25519"
_HASHES = {b"sha512": hashlib.sha512, b"sha256": hashlib.sha256}
_BEGIN, _END = (f"-----{end} SSH SIGNATURE-----" for end in ("BEGIN", "END"))
_LINE = 70
_PRIME = 2**255 - 19
_OF_EIGHT = int("7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7", 16)
# Points that fit a signature of whatever bytes; the sign, which is the last bit, left out
OF_SMALL_ORDER = frozenset(
    y.to_bytes(32, "little") for y in (0, 1, _PRIME - 1, _PRIME, _PRIME + 1, _OF_EIGHT, _PRIME - _OF_EIGHT)
)
LARGEST = 64 << 10  # bytes of a key, a signature or a list of signers
_LONGEST = 1024  # letters of a pattern, as OpenSSH has it


class NewKey(NamedTuple):
    """A pair of keys as OpenSSH's files."""

    private: bytes
    public: str  # one line, without a comment
    fingerprint: str


class Signature(NamedTuple):
    """What a file of a signature says."""

    key: bytes  # as OpenSSH writes public keys
    namespace: str
    hash: bytes  # name of the hash
    signed: bytes


class Signer(NamedTuple):
    """A line of a list of signers."""

    names: tuple[str, ...]  # with * and ? as OpenSSH's patterns have them
    key: bytes
    namespaces: tuple[str, ...]  # none means all
    further: tuple[str, ...]  # options that are not known here


def new_key() -> NewKey:
    """Return a fresh pair of keys."""
    key = Ed25519PrivateKey.generate()
    public = key.public_key()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    line = public.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    return NewKey(private, line, fingerprint(_blob(public)))


def signer_line(name: str, public: str) -> str:
    """Return the line that lets ``ssh-keygen -Y verify`` take a public key for a name, here only."""
    return f'{name} namespaces="{NAMESPACE}" {public}\n'


def read_private_key(data: bytes, *, name: str) -> Ed25519PrivateKey:
    """Read a private key as OpenSSH writes it; refuse others, and those behind a passphrase."""
    try:
        key = load_ssh_private_key(data[:LARGEST], password=None)
    except TypeError:
        raise input_error(
            "{file} is behind a passphrase. Sign with ssh-keygen -Y sign -n {namespace} -f {file}, which "
            "asks for it.",
            file=name,
            namespace=NAMESPACE,
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        raise input_error(
            "{file} is no private key in OpenSSH's format. Make a pair with python -m core keys.", file=name
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise input_error(
            "{file} is a key of another kind than Ed25519. Make a pair with python -m core keys.", file=name
        )
    return key


def sign(message: bytes, key: Ed25519PrivateKey) -> bytes:
    """Return the detached signature of a message, as ``ssh-keygen -Y sign -n anonaudit`` writes it."""
    signed = key.sign(_to_sign(message, NAMESPACE, b"sha512"))
    told = (_blob(key.public_key()), NAMESPACE.encode(), b"", b"sha512", _strings(_KIND, signed))
    blob = _MAGIC + struct.pack(">I", _VERSION) + _strings(*told)
    text = base64.b64encode(blob).decode()
    lines = [text[start : start + _LINE] for start in range(0, len(text), _LINE)]
    return "\n".join([_BEGIN, *lines, _END, ""]).encode()


def read_signature(data: bytes, *, name: str) -> Signature:
    """Read a detached signature; refuse other files and other kinds of keys."""
    wrong = input_error(
        "{file} is no signature in OpenSSH's format, or was damaged. Take it again from where it was filed.",
        file=name,
    )
    try:
        text = data[:LARGEST].decode("ascii").strip()
        written = "".join(text.removeprefix(_BEGIN).removesuffix(_END).split())
        blob = base64.b64decode(written, validate=True)
        is_whole = (
            text.startswith(_BEGIN) and text.endswith(_END) and base64.b64encode(blob).decode() == written
        )
        if not is_whole or blob[:10] != _MAGIC + struct.pack(">I", _VERSION):
            raise wrong
        key, namespace, reserved, hash_name, signature = _parts(blob[10:])
        kind, signed = _parts(signature)
        kind_of_key, *_ = _parts(key)
    except (ValueError, binascii.Error, struct.error):
        raise wrong from None
    if (kind, kind_of_key) != (_KIND, _KIND):
        raise input_error(
            "{file} was made with a key of another kind than Ed25519; verify it with ssh-keygen -Y verify.",
            file=name,
        )
    if reserved or hash_name not in _HASHES:
        raise wrong
    return Signature(key, namespace.decode("utf-8", "replace"), hash_name, signed)


def check_signature(signature: Signature, message: bytes, *, name: str) -> None:
    """Refuse a signature that is not of this message, or that was made for something else."""
    if signature.namespace != NAMESPACE:
        raise input_error(
            "{file} was signed for another purpose ({namespace}, not {ours}).",
            file=name,
            namespace=signature.namespace,
            ours=NAMESPACE,
        )
    try:
        _, public = _parts(signature.key)
        if public[:31] + bytes([public[31] & 0x7F]) in OF_SMALL_ORDER:
            raise InvalidSignature
        Ed25519PublicKey.from_public_bytes(public).verify(
            signature.signed, _to_sign(message, signature.namespace, signature.hash)
        )
    except (InvalidSignature, ValueError, IndexError, struct.error):
        raise input_error(
            "{file}: the signature is not of this decided report; one of them was changed, or they do not "
            "belong together.",
            file=name,
        ) from None


def is_signature(data: bytes) -> bool:
    """Return whether a file begins as signatures do."""
    return data.lstrip()[: len(_BEGIN)] == _BEGIN.encode()


def signers_in(data: bytes, *, name: str) -> bytes | None:
    """Return the list of signers that a file, or a public key, comes to; None for another file."""
    kind = _KIND + b" "
    if len(data) > LARGEST or kind not in data or not data.isascii():
        return None
    is_key = data.startswith(kind)
    return signer_line("_".join(name.split()), data.decode().strip()).encode() if is_key else data


def read_signers(data: bytes, *, name: str) -> tuple[Signer, ...]:
    """Read a list of signers as OpenSSH's ``allowed_signers``; other kinds of keys are passed over."""
    found: list[Signer] = []
    try:
        for line in data[:LARGEST].decode("utf-8").splitlines():
            if line.strip() and not line.lstrip().startswith("#"):
                found += _signer(line)
    except (ValueError, struct.error):
        found = []
    if not found:
        raise input_error(
            "{file} lists no signer with an Ed25519 key; a line is a name, then the public key.", file=name
        )
    return tuple(found)


def name_of_signer(signature: Signature, signers: tuple[Signer, ...], *, name: str) -> str:
    """Return whose key made a signature; refuse one that is not listed."""
    listed = [each for each in signers if each.key == signature.key]
    usable = [
        each
        for each in listed
        if not each.further and (not each.namespaces or any(map(_fits, each.namespaces)))
    ]
    if usable:
        return usable[0].names[0]
    if further := [option for each in listed for option in each.further]:
        raise input_error(
            "{file} lists the key with {option}, which is not read here; verify with ssh-keygen -Y verify.",
            file=name,
            option=further[0].partition("=")[0],
        )
    raise input_error(
        "The signature is of the key {fingerprint}, which {file} does not list for decided reports.",
        file=name,
        fingerprint=fingerprint(signature.key),
    )


def fingerprint(key: bytes) -> str:
    """Return a public key's fingerprint as OpenSSH writes it."""
    digest = base64.b64encode(hashlib.sha256(key).digest()).decode().rstrip("=")
    return f"SHA256:{digest}"


def _signer(line: str) -> Iterator[Signer]:
    words = shlex.split(line)
    kinds = [place for place, word in enumerate(words) if word == _KIND.decode()]
    if not kinds or kinds[0] + 1 >= len(words) or not kinds[0]:
        return
    names, options = words[0].split(","), [one for word in words[1 : kinds[0]] for one in _options(word)]
    key = base64.b64decode(words[kinds[0] + 1], validate=True)
    kind, public = _parts(key)
    if kind != _KIND or len(public) != len(Ed25519PublicKey.from_public_bytes(public).public_bytes_raw()):
        return
    spaces = [value for option, value in options if option == "namespaces"]
    further = [option for option, _ in options if option != "namespaces"]
    further += [word for word in (*names, *spaces) if word.startswith("!")]  # patterns that take away
    yield Signer(tuple(names), key, tuple(spaces), tuple(further))


def _options(words: str) -> Iterator[tuple[str, str]]:
    """Yield the options between commas; what has no equals sign is a further value of the one before."""
    option = ""
    for part in words.split(","):
        name, separator, value = part.partition("=")
        is_option = separator or not option or name.lower() in _SWITCHES
        option = name.lower() if is_option else option
        yield option, value if separator else part


def _fits(pattern: str) -> bool:
    """Return whether a pattern of OpenSSH, where only * and ? stand for others, takes our namespace."""
    return fnmatchcase(NAMESPACE, pattern[:_LONGEST].replace("[", "[[]"))


def _to_sign(message: bytes, namespace: str, hash_name: bytes) -> bytes:
    digest = _HASHES[hash_name](message).digest()
    return _MAGIC + _strings(namespace.encode(), b"", hash_name, digest)


def _blob(key: Ed25519PublicKey) -> bytes:
    return _strings(_KIND, key.public_bytes_raw())


def _strings(*parts: bytes) -> bytes:
    return b"".join(struct.pack(">I", len(part)) + part for part in parts)


def _parts(data: bytes) -> list[bytes]:
    """Return the strings that follow each other; ValueError where they do not fill the data."""
    found = []
    while data:
        (length,) = struct.unpack_from(">I", data)
        if length > len(data) - 4:
            raise ValueError
        found.append(data[4 : 4 + length])
        data = data[4 + length :]
    return found
