"""``python -m core decide``: decide on a filed report; sign, check and pack what was decided."""

import argparse
import os
import stat
from datetime import UTC, datetime
from pathlib import Path

from core.commands.output import check_new_files, print_line, print_lines, write_new_files
from core.errors import AuditInputError
from core.filed import deciding
from core.filed.package import FILED_ENDINGS, Signed, checked_signature, evidence_zip
from core.filed.signing import read_private_key, sign
from core.files.input_bytes import read_unchanged, unreadable
from core.words import input_error, text

_READ_BY_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the report, what is decided, and what is done with a decided one."""
    parser.add_argument(
        "report",
        type=Path,
        metavar="REPORT",
        help="a report as JSON, or a decided one to sign, check or pack",
    )
    outcome = parser.add_mutually_exclusive_group()
    for flag, value, words in (
        ("--approve", "approved", "what the report is about may go ahead"),
        ("--reject", "rejected", "it may not"),
        ("--return", "returned", "it goes back for changes"),
        ("--check", "check", "check a decided report, and its signature where there is one"),
    ):
        outcome.add_argument(flag, dest="outcome", action="store_const", const=value, help=words)
    parser.add_argument("--by", default="", metavar="NAME", help="who decides")
    parser.add_argument("--reason", default="", metavar="TEXT", help="why")
    parser.add_argument(
        "--exception",
        action="extend",
        nargs="+",
        default=[],
        metavar="FINDING=REASON",
        help="a finding that is accepted: its number in the report, its check, or CHECK/COLUMN; repeatable",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="the decided report (beside REPORT)")
    parser.add_argument(
        "--sign", type=Path, metavar="KEY", help="sign with this private key, made by python -m core keys"
    )
    parser.add_argument("--signature", type=Path, metavar="FILE", help="the signature (REPORT.sig)")
    parser.add_argument(
        "--signers", type=Path, metavar="FILE", help="whose keys may sign, as OpenSSH's allowed_signers"
    )
    parser.add_argument(
        "--package",
        type=Path,
        metavar="FILE",
        help="write everything but the data into an archive: report, decision, signature, how to verify",
    )


def run(arguments: argparse.Namespace) -> int:
    """Decide, or take a decided report; sign it, check it, pack it; print what was decided."""
    data = _read(arguments.report)
    decides = arguments.outcome not in (None, "check")
    path: Path = arguments.report
    if decides:
        path = arguments.out or arguments.report.with_name(deciding.decided_name(arguments.report.name))
        decided = _decided(data, path, arguments)
    else:
        if arguments.by or arguments.reason or arguments.exception or arguments.out:
            raise AuditInputError("Say what is decided: --approve, --reject or --return.")
        if not deciding.is_decided(data) and arguments.outcome is None:
            deciding.read_undecided(data, name=arguments.report.name)
            raise input_error(
                "{file} is not decided yet: --approve, --reject or --return it.", file=arguments.report.name
            )
        decided = deciding.read_decided(data, name=path.name)
    signature = _signature(decided, path, arguments)
    signed = _signed(decided, signature, arguments)
    archive = None
    if arguments.package is not None:
        check_new_files("--package", arguments.package)
        archive = evidence_zip(decided, signed=signed, filed=_filed(arguments.report, decided))
    written = {path: decided.data} if decides else {}
    written |= {_signature_path(path): signature} if arguments.sign is not None and signature else {}
    written |= {arguments.package: archive} if archive is not None else {}
    write_new_files("--out", written)
    print_lines(deciding.decision_lines(decided))
    print_line(_told(signed))
    for each in written:
        print_line(text("Written: {file}", file=str(each)))
    return 0


def _read(path: Path) -> bytes:
    try:
        return read_unchanged(path)
    except OSError as error:
        raise unreadable(error, file=str(path)) from None


def _decided(data: bytes, path: Path, arguments: argparse.Namespace) -> deciding.DecidedReport:
    name = arguments.report.name
    accepted = deciding.accepted_findings(deciding.read_undecided(data, name=name), arguments.exception)
    decision = deciding.Decision(
        outcome=arguments.outcome,
        by=arguments.by.strip(),
        at=datetime.now(UTC),
        reason=arguments.reason.strip(),
        accepted=accepted,
    )
    made = deciding.decide(data, decision, name=name)
    check_new_files("--out", path)
    return deciding.read_decided(made, name=path.name)


def _signature_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.sig")


def _signature(decided: deciding.DecidedReport, path: Path, arguments: argparse.Namespace) -> bytes | None:
    """Return the signature that is made, given, or found beside the decided report; None without any."""
    if arguments.sign is not None:
        if arguments.signature is not None:
            raise AuditInputError("--sign makes a signature, and --signature names one. Give one of them.")
        check_new_files("--sign", _signature_path(path))
        data = _read(arguments.sign)
        if os.name == "posix" and arguments.sign.stat().st_mode & _READ_BY_OTHERS:
            raise input_error(
                "{file} may be read by others than you; take that right away (chmod 600).",
                file=str(arguments.sign),
            )
        return sign(decided.data, read_private_key(data, name=arguments.sign.name))
    beside = arguments.signature or _signature_path(path)
    return _read(beside) if arguments.signature is not None or beside.is_file() else None


def _signed(
    decided: deciding.DecidedReport, signature: bytes | None, arguments: argparse.Namespace
) -> Signed | None:
    signers: Path | None = arguments.signers
    if signature is None:
        if signers is not None:
            raise input_error("{file} has no signature to check.", file=decided.name)
        return None
    name = arguments.signature.name if arguments.signature else f"{decided.name}.sig"
    return checked_signature(
        decided,
        signature,
        name=name,
        signers=None if signers is None else _read(signers),
        signers_name="" if signers is None else signers.name,
    )


def _told(signed: Signed | None) -> str:
    if signed is None:
        return "Not signed."
    if not signed.name:
        return text(
            "Signed by the key {fingerprint}; whose it is was not checked (--signers).",
            fingerprint=signed.fingerprint,
        )
    return text("Signed by {name}, key {fingerprint}.", name=signed.name, fingerprint=signed.fingerprint)


def _filed(path: Path, decided: deciding.DecidedReport) -> dict[str, bytes]:
    """Return the undecided report in its other formats, where they lie beside it under the same name."""
    stem = Path(decided.report.name).name.removesuffix(".json")
    names = [f"{stem}{ending}" for ending in FILED_ENDINGS]
    return {name: _read(path.with_name(name)) for name in names if path.with_name(name).is_file()}
