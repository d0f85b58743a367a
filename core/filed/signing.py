"""Detached signatures in OpenSSH's format (SSHSIG) with Ed25519 keys, made and verified without a network.

What ``ssh-keygen -Y sign`` writes is read here, and ``ssh-keygen -Y verify`` reads what is written here.
"""

import base64
import hashlib
import struct
from fnmatch import fnmatchcase
from typing import NamedTuple

import sshsig
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_ssh_private_key,
)
from sshsig.allowed_signers import AllowedSigner
from sshsig.binary_io import ssh_read_string_pair
from sshsig.sshsig import SshsigSignature

from core.words import input_error

NAMESPACE = "anonaudit"
_KIND = "ssh-ed25519"
_HASHES = (b"sha512", b"sha256")
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


class Signer(NamedTuple):
    """A line of a list of signers."""

    names: tuple[str, ...]  # with * and ? as OpenSSH's patterns have them
    key: bytes
    namespaces: tuple[str, ...]  # none means all
    further: tuple[str, ...]  # options that are not read here


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
    to_sign = (NAMESPACE.encode(), b"", _HASHES[0], hashlib.sha512(message).digest())
    signed = _strings(_KIND.encode(), key.sign(b"SSHSIG" + _strings(*to_sign)))
    told = _strings(_blob(key.public_key()), *to_sign[:3], signed)
    text = base64.b64encode(b"SSHSIG" + struct.pack(">I", SshsigSignature.VERSION) + told).decode()
    lines = [text[start : start + _LINE] for start in range(0, len(text), _LINE)]
    return "\n".join([_BEGIN, *lines, _END, ""]).encode()


def read_signature(data: bytes, *, name: str) -> SshsigSignature:
    """Read a detached signature; refuse other files, other kinds of keys, and other ways to write it."""
    wrong = input_error(
        "{file} is no signature in OpenSSH's format, or was damaged. Take it again from where it was filed.",
        file=name,
    )
    try:
        text = "\n".join(map(str.strip, data[:LARGEST].decode("ascii").strip().splitlines()))
        signature = SshsigSignature.from_armored(text)
        parts = (signature.public_key, signature.signature)
        (kind_of_key, public), (kind, signed) = map(ssh_read_string_pair, parts)
    except (ValueError, NotImplementedError):
        raise wrong from None
    whole = (_strings(kind_of_key, public), _strings(kind, signed))
    is_canonical = "".join(signature.to_armored().split()) == "".join(text.split()) and text.endswith(_END)
    if not is_canonical or not all(map(bytes.startswith, parts, whole)):
        raise wrong
    if (kind, kind_of_key) != (_KIND.encode(),) * 2:
        raise input_error(
            "{file} was made with a key of another kind than Ed25519; verify it with ssh-keygen -Y verify.",
            file=name,
        )
    if parts != whole or signature.hash_algo not in _HASHES:
        raise wrong
    return signature


def check_signature(signature: SshsigSignature, message: bytes, *, name: str) -> None:
    """Refuse a signature that is not of this message, or that was made for something else."""
    if signature.namespace != NAMESPACE.encode():
        raise input_error(
            "{file} was signed for another purpose ({namespace}, not {ours}).",
            file=name,
            namespace=signature.namespace.decode("utf-8", "replace"),
            ours=NAMESPACE,
        )
    try:
        _, public = ssh_read_string_pair(signature.public_key)
        if public[:31] + bytes([public[31] & 0x7F]) in OF_SMALL_ORDER:
            raise sshsig.InvalidSignature
        sshsig.check_signature(message, signature.to_armored(), NAMESPACE)
    except (sshsig.InvalidSignature, ValueError, IndexError):
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
    kind = f"{_KIND} ".encode()
    if len(data) > LARGEST or kind not in data or not data.isascii():
        return None
    is_key = data.startswith(kind)
    return signer_line("_".join(name.split()), data.decode().strip()).encode() if is_key else data


def read_signers(data: bytes, *, name: str) -> tuple[Signer, ...]:
    """Read a list of signers as OpenSSH's ``allowed_signers``; other kinds of keys are passed over."""
    try:
        lines = [line.strip() for line in data[:LARGEST].decode("utf-8").split("\n")]
    except ValueError:
        lines = []
    found = [each for line in lines if line[:1] != "#" and (each := _signer(line))]
    if not found:
        raise input_error(
            "{file} lists no signer with an Ed25519 key; a line is a name, then the public key.", file=name
        )
    return tuple(found)


def name_of_signer(signature: SshsigSignature, signers: tuple[Signer, ...], *, name: str) -> str:
    """Return whose key made a signature; refuse one that is not listed."""
    listed = [each for each in signers if each.key == signature.public_key]
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
        fingerprint=fingerprint(signature.public_key),
    )


def fingerprint(key: bytes) -> str:
    """Return a public key's fingerprint as OpenSSH writes it."""
    digest = base64.b64encode(hashlib.sha256(key).digest()).decode().rstrip("=")
    return f"SHA256:{digest}"


def _signer(line: str) -> Signer | None:
    """Return the signer of a line; None where it has no name or no Ed25519 key."""
    words = line.split()
    if _KIND not in words[1:-1]:
        return None
    try:
        listed = AllowedSigner.parse(line)
    except (ValueError, IndexError):
        listed = None
    if listed is None or listed.key_type != _KIND:  # with options that OpenSSH cannot read either
        listed = AllowedSigner(words[0], {words[1]: ""}, _KIND, words[words.index(_KIND) + 1])
    key = _key(listed.base64_key)
    if key is None or '"' in listed.principals:
        return None
    names, options = listed.principals.split(","), listed.options or {}
    spaces = options.pop("namespaces").split(",") if "namespaces" in options else []
    taken_away = [word for word in (*names, *spaces) if word.startswith("!")]
    return Signer(tuple(names), key, tuple(spaces), (*options, *taken_away))


def _key(written: str) -> bytes | None:
    """Return an Ed25519 key as it is in signatures; None of another one."""
    try:
        key = base64.b64decode(written, validate=True)
        _, public = ssh_read_string_pair(key)
        return key if key == _blob(Ed25519PublicKey.from_public_bytes(public)) else None
    except ValueError:
        return None


def _fits(pattern: str) -> bool:
    """Return whether a pattern of OpenSSH, where only * and ? stand for others, takes our namespace."""
    return fnmatchcase(NAMESPACE, pattern[:_LONGEST].replace("[", "[[]"))


def _blob(key: Ed25519PublicKey) -> bytes:
    return _strings(_KIND.encode(), key.public_bytes_raw())


def _strings(*parts: bytes) -> bytes:
    return b"".join(struct.pack(">I", len(part)) + part for part in parts)
