"""Sign-in against a provider of OpenID Connect on this machine, which signs what it says."""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey
from playwright.sync_api import Page, expect

from tests.browser.conftest import free_port, start_server, stop_server

CLIENT, CLIENT_SECRET = "anonaudit", "a secret of the client"


class Provider(ThreadingHTTPServer):
    """Discovery, authorization code with PKCE, signed identity tokens (RS256), keys."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Endpoints)
        self.issuer = f"http://127.0.0.1:{self.server_port}"
        self.key = RSAKey.generate_key(2048, parameters={"kid": "1"})
        self.foreign_key = RSAKey.generate_key(2048, parameters={"kid": "1"})
        self.codes: dict[str, dict[str, str]] = {}
        self.wrong: str | None = None

    def identity(self, nonce: str) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer, "sub": "1", "email": "a@example.org", "iat": now, "exp": now + 60}
        claims |= {"aud": "other" if self.wrong == "aud" else CLIENT}
        claims |= {"nonce": "other" if self.wrong == "nonce" else nonce}
        key = self.foreign_key if self.wrong == "key" else self.key
        return jwt.encode({"alg": "RS256", "kid": "1"}, claims, key)


class _Endpoints(BaseHTTPRequestHandler):
    server: Provider

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(address.query).items()}
        issuer = self.server.issuer
        if address.path == "/.well-known/openid-configuration":
            self._answer(
                {
                    "issuer": issuer,
                    "authorization_endpoint": f"{issuer}/authorize",
                    "token_endpoint": f"{issuer}/token",
                    "jwks_uri": f"{issuer}/keys",
                    "response_types_supported": ["code"],
                    "subject_types_supported": ["public"],
                    "id_token_signing_alg_values_supported": ["RS256"],
                    "code_challenge_methods_supported": ["S256"],
                }
            )
        elif address.path == "/keys":
            self._answer({"keys": [self.server.key.as_dict(private=False)]})
        elif address.path == "/authorize" and asked["client_id"] == CLIENT:
            code = secrets.token_urlsafe()
            self.server.codes[code] = asked
            self.send_response(302)
            back = urlencode({"code": code, "state": asked["state"]})
            self.send_header("Location", f"{asked['redirect_uri']}?{back}")
            self.end_headers()
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        given = {name: values[0] for name, values in parse_qs(body).items()}
        asked = self.server.codes.pop(given.get("code", ""), None)
        client = base64.b64encode(f"{CLIENT}:{CLIENT_SECRET}".encode()).decode()
        proof = hashlib.sha256(given.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(proof).decode().rstrip("=")
        if self.headers["Authorization"] != f"Basic {client}" or not asked:
            self.send_error(401)
        elif challenge != asked["code_challenge"] or given["redirect_uri"] != asked["redirect_uri"]:
            self.send_error(400)
        else:
            token = {"access_token": secrets.token_urlsafe(), "token_type": "Bearer", "expires_in": 60}
            self._answer({**token, "id_token": self.server.identity(asked["nonce"])})

    def _answer(self, document: dict[str, object]) -> None:
        body = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(scope="module")
def guarded_server(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("guarded")
    port = free_port()
    (folder / "secrets.toml").write_text(
        "[auth]\n"
        f'redirect_uri = "http://127.0.0.1:{port}/oauth2callback"\n'
        f'cookie_secret = "{secrets.token_hex()}"\n'
        f'client_id = "{CLIENT}"\nclient_secret = "{CLIENT_SECRET}"\n'
        f'server_metadata_url = "{provider.issuer}/.well-known/openid-configuration"\n'
    )
    server, address = start_server(
        folder / "log.txt", f"--secrets.files={folder / 'secrets.toml'}", port=port, ANONAUDIT_TOKEN=""
    )
    assert "token=" not in (folder / "log.txt").read_text()
    yield address
    stop_server(server)


def _expect_nothing_but_the_sign_in(page: Page) -> None:
    expect(page.get_by_role("button", name="Sign in")).to_be_visible(timeout=30_000)
    expect(page.get_by_role("heading", level=1, name="AnonAudit")).to_be_visible()
    expect(page.get_by_test_id("stMain").get_by_role("button")).to_have_count(1)
    expect(page.get_by_test_id("stFileUploader")).to_have_count(0)
    expect(page.get_by_test_id("stTopNavLink")).to_have_count(0)
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_visitor__signs_in_and_out(page: Page, guarded_server: str, provider: Provider) -> None:
    provider.wrong = None
    for path in ("risk", ""):
        page.goto(f"{guarded_server}/{path}")
        _expect_nothing_but_the_sign_in(page)
    assert page.context.request.put(f"{guarded_server}/_stcore/upload_file/x/y").status == 403
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_test_id("stTopNavLink").first).to_be_visible(timeout=30_000)
    page.goto(f"{guarded_server}/risk")
    expect(page.get_by_role("heading", level=1, name="Disclosure risk")).to_be_visible(timeout=30_000)
    file = {"name": "people.csv", "mimeType": "text/csv", "buffer": b"age,sex\n30,F\n40,M\n"}
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(file)
    expect(page.get_by_text("people.csv ·")).to_be_visible(timeout=30_000)
    page.goto(f"{guarded_server}/sign-out")
    _expect_nothing_but_the_sign_in(page)


@pytest.mark.parametrize("wrong", ["key", "aud", "nonce"])
def test_identity__that_is_not_signed_for_us_lets_nobody_in(
    page: Page, guarded_server: str, provider: Provider, wrong: str
) -> None:
    provider.wrong = wrong
    page.goto(guarded_server)
    _expect_nothing_but_the_sign_in(page)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_timeout(3_000)
    _expect_nothing_but_the_sign_in(page)
    assert not [cookie for cookie in page.context.cookies() if cookie["name"].startswith("_streamlit_user")]
