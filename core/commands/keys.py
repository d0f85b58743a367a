"""``python -m core keys``: a pair of keys to sign decided reports with, as the person's own files."""

import argparse
import re
from pathlib import Path

from core.commands.output import check_new_files, print_lines, write_new_files
from core.filed.signing import new_key, signer_line
from core.words import input_error, text

_NAME = re.compile(r"\w[\w@.+-]{0,199}")
PRIVATE, PUBLIC, SIGNERS = "anonaudit_key", "anonaudit_key.pub", "allowed_signers"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where the keys go and whose they are."""
    parser.add_argument(
        "folder", type=Path, metavar="FOLDER", help="where the keys go; made if it is not there"
    )
    parser.add_argument(
        "--name",
        required=True,
        metavar="NAME",
        help="who signs with them, as others will know you, without spaces, such as ana@hospital.example",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the private key for its owner alone, the public one, and a list of signers with it."""
    name: str = arguments.name
    if not _NAME.fullmatch(name):
        raise input_error(
            "--name must be one word of letters, digits and @ . _ + -, received {name}.", name=name
        )
    folder: Path = arguments.folder
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        refused = "{folder} cannot be made: {reason}."
        raise input_error(refused, folder=str(folder), reason=str(error.strerror)) from None
    private, public, signers = (folder / each for each in (PRIVATE, PUBLIC, SIGNERS))
    check_new_files("FOLDER", private, public, signers)
    pair = new_key()
    others = {public: f"{pair.public} {name}\n", signers: signer_line(name, pair.public)}
    files = {private: pair.private} | {path: words.encode() for path, words in others.items()}
    write_new_files("FOLDER", files, private={private})
    print_lines(
        [
            text("{file}: your private key. Only you may read it; give it to nobody.", file=str(private)),
            text("{file}: your public key, for everybody.", file=str(public)),
            text("{file}: the same for those who verify, as OpenSSH's list of signers.", file=str(signers)),
            text(
                "Its fingerprint is {fingerprint}: tell it to those who verify, on another way than reports.",
                fingerprint=pair.fingerprint,
            ),
        ]
    )
    return 0
