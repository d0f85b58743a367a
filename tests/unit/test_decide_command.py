"""``python -m core decide`` and ``keys``: deciding on a filed report, signing it, and a package to verify."""

import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core import leakage
from core.__main__ import main
from core.demo import LEAKAGE as DEMOS
from core.filed.deciding import read_decided
from core.leakage.report import leakage_report
from core.reports import input_facts, render
from core.tables import read_dataset
from tests.kinds import Patch, Told
from tests.saying import Saying

ROOT = Path(__file__).parents[2]
SSH_KEYGEN = shutil.which("ssh-keygen")
with_ssh_keygen = pytest.mark.skipif(SSH_KEYGEN is None, reason="OpenSSH is not installed")
WHY = ["--by", "Ana Novak", "--reason", "Shown inside only, žal ni drugače."]
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a report of a FAIL, its other formats, and the data."""
    folder = tmp_path_factory.mktemp("filed")
    for file in (file for files in DEMOS[0].make().values() for file in files):
        (folder / file.name).write_bytes(file.data)
    tables = [read_dataset(folder / name) for name in ("survey.csv", "survey_leaking.csv")]
    audit = leakage.audit_leakage(*tables)
    inputs = [input_facts(table, role) for table, role in zip(tables, ("original", "scrambled"), strict=True)]
    report = leakage_report(audit, inputs=inputs, created_at=NOON)
    for ending, data in (("json", "json"), ("html", "html"), ("zip", "csv"), ("xlsx", "xlsx")):
        (folder / f"report.{ending}").write_bytes(render(report, data))
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: Patch) -> Path:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _keys(name: str = "ana@hospital.example", folder: str = "keys") -> None:
    assert main(["keys", folder, "--name", name]) == 0


APPROVE = ["report.json", "--approve", *WHY]


def _approved(*more: str) -> None:
    assert main(["decide", *APPROVE, *more]) == 0


def _problem(capsys: Told, *arguments: str) -> str:
    """Return the one sentence that a command ends with."""
    capsys.readouterr()
    assert main(["decide", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line.removeprefix("error: ")


@pytest.mark.parametrize(
    ("flag", "outcome"), [("--approve", "approved"), ("--reject", "rejected"), ("--return", "returned")]
)
def test_decide__writes_a_new_file_that_holds_the_report_and_its_digest(
    flag: str, outcome: str, folder: Path, capsys: Told
) -> None:
    before = (folder / "report.json").read_bytes()
    assert main(["decide", "report.json", flag, *WHY, "--exception", "2=known", "whole_rows=few"]) == 0
    assert (folder / "report.json").read_bytes() == before
    decided = read_decided((folder / "report_decided.json").read_bytes(), name="d")
    decision = decided.decision
    assert (decided.undecided, decision.outcome, decision.by) == (before, outcome, WHY[1])
    accepted = [(each.check, each.reason) for each in decision.accepted]
    assert accepted == [("whole_rows", "few"), ("full_leakage", "known")]
    assert decision.reason == WHY[3]
    assert "Ana Novak" in capsys.readouterr().out
    assert main(["decide", "report_decided.json", "--check"]) == 0
    printed = capsys.readouterr().out
    assert "Not signed." in printed
    assert ("Approved although" in printed) == (outcome == "approved")


def test_decide__says_what_is_wrong_in_one_sentence_and_writes_nothing(folder: Path, capsys: Told) -> None:
    report = (folder / "report.json").read_bytes()
    document = json.loads(report)
    edited = json.dumps({**document, "verdict": "PASS"}, ensure_ascii=False, indent=2) + "\n"
    bad = (
        ("cut", report[:5000], "is not whole JSON…"),
        ("edited", edited.encode(), "was changed since it was made (verdict); …"),
        ("saved", json.dumps(document).encode(), "is not byte for byte as AnonAudit wrote it…"),
        ("other", b'{"a": 1}', "is JSON, but no report…"),
        ("notes", b"hello", "is not whole JSON…"),
        ("newer", json.dumps({**document, "report_format": 99}).encode(), "was written by AnonAudit…"),
        ("nowhere", None, "cannot be read…"),
    )
    for name, data, _ in bad:
        if data is not None:
            (folder / f"{name}.json").write_bytes(data)
    names = {*Path().iterdir()}
    for name, _, said in bad:
        assert _problem(capsys, f"{name}.json", "--approve", *WHY) == Saying(f"{name}.json {said}")
    for given, problem in (
        (["99=x"], "The report has no finding 99; an exception names one that is there."),
        (["nonsense=x"], "The report has no finding nonsense; an exception names one that is there."),
        (["whole_rows"], "An exception needs FINDING=REASON with a reason, received whole_rows."),
        (["whole_rows= "], "An exception needs FINDING=REASON with a reason, received whole_rows= ."),
        (["full_leakage=x", "2=y"], "Two exceptions name the finding 2."),
    ):
        assert _problem(capsys, *APPROVE, "--exception", *given) == problem
    assert main(["decide", "report.json", "--approve"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "error: The name of who decides is missing; a decision needs it.",
        "error: The reason is missing; a decision needs it.",
    ]
    said = "Say what is decided: --approve, --reject or --return."
    assert _problem(capsys, "report.json", "--by", "a") == said
    assert _problem(capsys, "report.json") == Saying("report.json is not decided yet: --approve, …")
    assert {*Path().iterdir()} == names


def test_decide__overwrites_nothing_and_decides_once(folder: Path, capsys: Told) -> None:
    assert main(["decide", "report.json", "--reject", *WHY]) == 0
    first = (folder / "report_decided.json").read_bytes()
    assert _problem(capsys, *APPROVE) == Saying(
        "--out: report_decided.json exists and is never overwritten; …"
    )
    again = _problem(capsys, "report_decided.json", "--approve", *WHY)
    assert again.startswith("report_decided.json is decided already: Rejected by Ana Novak on ")
    _approved("--out", "second.json")
    assert (folder / "report_decided.json").read_bytes() == first


@with_ssh_keygen
def test_decide__signs_as_openssh_does(folder: Path, capsys: Told) -> None:
    _keys()
    assert stat.S_IMODE((folder / "keys/anonaudit_key").stat().st_mode) == 0o600
    _approved("--sign", "keys/anonaudit_key")
    verify = "ssh-keygen -Y verify -f keys/allowed_signers -I ana@hospital.example -n anonaudit -s"
    signed, signature = ((folder / f"report_decided.json{end}").read_bytes() for end in ("", ".sig"))
    words = [*verify.split(), "report_decided.json.sig"]
    done = subprocess.run(words, input=signed, capture_output=True, check=True)
    assert done.stdout.startswith(b'Good "anonaudit" signature for ana@hospital.example')
    capsys.readouterr()
    assert main(["decide", "report_decided.json", "--check", "--signers", "keys/allowed_signers"]) == 0
    assert "Signed by ana@hospital.example, key SHA256:" in capsys.readouterr().out
    for purpose in ("anonaudit", "git"):
        (folder / "report_decided.json.sig").unlink()
        sign = f"ssh-keygen -Y sign -f keys/anonaudit_key -n {purpose} report_decided.json"
        subprocess.run(sign.split(), capture_output=True, check=True)
        assert ((folder / "report_decided.json.sig").read_bytes() == signature) is (purpose == "anonaudit")
    problem = _problem(capsys, "report_decided.json", "--check")
    assert problem.endswith("was signed for another purpose (git, not anonaudit).")


@pytest.mark.slow
@with_ssh_keygen
def test_decide__refuses_keys_of_other_kinds_and_those_others_may_read(folder: Path, capsys: Told) -> None:
    for kind, name in (("ecdsa", "other"), ("ed25519", "locked")):
        words = ["ssh-keygen", "-q", "-t", kind, "-f", name, "-N", "secret" if name == "locked" else ""]
        subprocess.run(words, check=True)
    (folder / "text").write_text("no key")
    (folder / "text").chmod(0o600)
    _keys()
    (folder / "keys/anonaudit_key").chmod(0o644)
    for name, said in (
        ("other", "other is a key of another kind than Ed25519."),
        ("locked", "locked is behind a passphrase."),
        ("text", "text is no private key in OpenSSH's format."),
        ("keys/anonaudit_key", "may be read by others"),
    ):
        assert said in _problem(capsys, *APPROVE, "--sign", name)
    assert not (folder / "report_decided.json").exists()


def test_check__finds_another_key_another_file_and_a_damaged_signature(folder: Path, capsys: Told) -> None:
    _keys()
    _keys("eve@x", "eve")
    _approved("--sign", "eve/anonaudit_key")
    check = ["report_decided.json", "--check", "--signers"]
    assert main(["decide", *check, "eve/allowed_signers"]) == 0
    line = (folder / "eve/allowed_signers").read_text().split(" ", 2)
    (folder / "empty").write_text("# nobody\n")
    (folder / "until").write_text(f'eve@x namespaces="anonaudit",valid-before="20200101" {line[2]}')
    (folder / "git").write_text(f'eve@x namespaces="git" {line[2]}')
    for signers, said in (
        ("keys/allowed_signers", " which allowed_signers does not list"),
        ("empty", "empty lists no signer"),
        ("until", "with valid-before, which is not read here"),
        ("git", "does not list for decided reports"),
    ):
        assert said in _problem(capsys, *check, signers)
    signature = folder / "report_decided.json.sig"
    whole = signature.read_bytes()
    signature.write_bytes(whole[:-60])
    assert "is no signature in OpenSSH's format" in _problem(capsys, *check, "eve/allowed_signers")
    signature.write_bytes(whole)
    assert main(["decide", "report.json", "--reject", *WHY, "--out", "other.json"]) == 0
    words = ["other.json", "--check", "--signature", "report_decided.json.sig"]
    assert "the signature is not of this decided report" in _problem(capsys, *words)
    unsigned = _problem(capsys, "other.json", "--check", "--signers", "eve/allowed_signers")
    assert unsigned == "other.json has no signature to check."
    changed = (folder / "report_decided.json").read_bytes().replace(b"approved", b"rejected")
    (folder / "report_decided.json").write_bytes(changed)
    assert "was changed since it was decided" in _problem(capsys, *check, "eve/allowed_signers")


def test_keys__overwrites_nothing_and_wants_one_word(folder: Path, capsys: Told) -> None:
    _keys()
    before = (folder / "keys/anonaudit_key").read_bytes()
    capsys.readouterr()
    assert main(["keys", "keys", "--name", "ana"]) == 2
    assert main(["keys", "new", "--name", "Ana Novak"]) == 2
    assert main(["keys", "report.json", "--name", "ana"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "error: FOLDER: keys/anonaudit_key exists and is never overwritten; choose another name.",
        "error: --name must be one word of letters, digits and @ . _ + -, received Ana Novak.",
        "error: report.json cannot be made: File exists.",
    ]
    assert (folder / "keys/anonaudit_key").read_bytes() == before


def _follow(folder: Path) -> list[str]:
    """Run the commands of VERIFY.txt as they stand there; return what each printed."""
    lines = (folder / "VERIFY.txt").read_text(encoding="utf-8").splitlines()
    commands = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    environment = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    return [
        subprocess.run(  # noqa: S602 - that is what the text says to do
            command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False
        ).stdout
        for command in commands
    ]


@with_ssh_keygen
@pytest.mark.parametrize("who", ["listed", "unlisted", "nobody"])
def test_package__holds_everything_but_the_data_and_says_how_to_verify_it(who: str, folder: Path) -> None:
    _keys()
    signing = {
        "listed": ["--sign", "keys/anonaudit_key", "--signers", "keys/allowed_signers"],
        "unlisted": ["--sign", "keys/anonaudit_key"],
        "nobody": [],
    }[who]
    call = ["report.json", "--approve", *WHY, "--exception", "1=known", *signing]
    assert main(["decide", *call, "--package", "evidence.zip"]) == 0
    unpacked = folder / "unpacked"
    with zipfile.ZipFile(folder / "evidence.zip") as archive:
        archive.extractall(unpacked)
    names = {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if path.is_file()}
    assert names == {
        *("decided.json", "report.json", "decided.html", "decided.xlsx", "decided.zip", "settings.json"),
        *("VERIFY.txt", "SHA256SUMS", "INPUTS_SHA256"),
        *("filed/report.html", "filed/report.xlsx", "filed/report.zip"),
        *(() if who == "nobody" else ("decided.json.sig",)),
        *(("allowed_signers",) if who == "listed" else ()),
    }
    page = (unpacked / "decided.html").read_text(encoding="utf-8")
    assert "Approved by Ana Novak" in page
    assert "known" in page
    for name in ("survey.csv", "survey_leaking.csv"):
        shutil.copy(folder / name, unpacked)
    for name in ("json", "hashlib", "codecs"):  # what comes with a package is not run
        (unpacked / f"{name}.py").write_text("print('True'); raise SystemExit(0)")
    sums, same, *signature, inputs = _follow(unpacked)
    assert {line.rpartition(": ")[2] for line in (sums + inputs).splitlines()} == {"OK"}
    assert len(sums.splitlines()) == len(names) - 1
    assert same == "True\n"
    good = {"listed": 'Good "anonaudit" signature for ana@', "unlisted": 'Good "anonaudit" signature with'}
    assert [line.startswith(good[who]) for line in signature] == ([] if who == "nobody" else [True])

    (unpacked / "survey.csv").write_bytes(b"town\n")
    changed = (unpacked / "decided.json").read_bytes().replace(b'"full_leakage"', b'"fuli_leakage"', 1)
    (unpacked / "decided.json").write_bytes(changed)
    sums, same, *signature, inputs = _follow(unpacked)
    assert "decided.json: FAILED" in sums
    assert same == "False\n"
    assert "survey.csv: FAILED" in inputs
    assert not any("Good" in line for line in signature)


@pytest.mark.slow
def test_package__of_a_decided_report_may_come_later_and_never_holds_data(folder: Path, capsys: Told) -> None:
    _approved()
    package = ["report_decided.json", "--package"]
    assert main(["decide", *package, "evidence.zip"]) == 0
    taken = _problem(capsys, *package, "evidence.zip")
    assert taken == Saying("--package: evidence.zip exists and is never overwritten; …")
    shutil.copy(folder / "survey.csv", folder / "report.html")
    problem = _problem(capsys, *package, "second.zip")
    assert problem == "survey.csv is one of the files audited; evidence.zip holds everything but the data."
    (folder / "report.html").write_text("<p>PASS</p>", encoding="utf-8")
    problem = _problem(capsys, *package, "second.zip")
    assert problem == "report.html is not a page of report.json; move it elsewhere."
    assert not (folder / "second.zip").exists()
    other = ROOT / "tests/filed_examples/report.json"
    words = [str(other), "--approve", *WHY, "--out", "other.json", "--package", "other.zip"]
    assert main(["decide", *words]) == 0
    assert main(["decide", "other.json", "--check"]) == 0
    assert zipfile.ZipFile(folder / "other.zip").read("report.json") == other.read_bytes()
