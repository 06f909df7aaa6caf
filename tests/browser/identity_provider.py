"""A small OpenID Connect provider on this machine, which signs in whoever a test names."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.server
import json
import secrets
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256

CLIENT, SECRET = "dashboard", "a-client-secret-of-this-test"
#: The name of the key, whichever key it is.
KEY = "the-key"


@dataclass
class Provider:
    """What the provider knows, and who sits before the browser."""

    #: Its address and name. To browsers it is another site than 127.0.0.1.
    issuer: str = ""
    #: What ID tokens say about the person who signs in.
    person: dict[str, Any] = field(default_factory=dict)
    #: What ID tokens are signed with.
    key: RSAPrivateKey = field(default_factory=lambda: new_key())
    #: What the provider publishes for those who check its signatures.
    published: RSAPrivateKey = field(init=False)
    #: What was asked for with each code that was not redeemed yet.
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.published = self.key

    def discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
        }

    def keys(self) -> dict[str, Any]:
        numbers = self.published.public_key().public_numbers()
        modulus, exponent = (number(each) for each in (numbers.n, numbers.e))
        key = {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": KEY, "n": modulus, "e": exponent}
        return {"keys": [key]}

    def authorize(self, asked: dict[str, str]) -> str:
        """Where the browser goes with its code; nobody is asked for a password."""
        assert asked["client_id"] == CLIENT
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        assert {"openid", "email"} <= set(asked["scope"].split())
        code = secrets.token_urlsafe()
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, credentials: str, sent: dict[str, str]) -> dict[str, Any]:
        """The ID token for a code, once, for the client that asked for it."""
        assert credentials == base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        asked = self.codes.pop(sent["code"])
        assert sent["redirect_uri"] == asked["redirect_uri"]
        digest = hashlib.sha256(sent["code_verifier"].encode()).digest()
        assert url_safe(digest) == asked["code_challenge"]
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": self.person["email"],
            "iat": now,
            "exp": now + 600,
            "nonce": asked["nonce"],
            **self.person,
        }
        return {
            "access_token": secrets.token_urlsafe(),
            "token_type": "Bearer",
            "expires_in": 600,
            "id_token": self.signed(claims),
        }

    def signed(self, claims: dict[str, Any]) -> str:
        """A JSON Web Token."""
        header = {"alg": "RS256", "typ": "JWT", "kid": KEY}
        text = ".".join(url_safe(json.dumps(each).encode()) for each in (header, claims))
        return f"{text}.{url_safe(self.key.sign(text.encode(), PKCS1v15(), SHA256()))}"


def new_key() -> RSAPrivateKey:
    return generate_private_key(65537, 2048)


def url_safe(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def number(value: int) -> str:
    return url_safe(value.to_bytes((value.bit_length() + 7) // 8))


@contextlib.contextmanager
def providing() -> Iterator[Provider]:
    provider = Provider()

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            place = urlsplit(self.path)
            if place.path == "/.well-known/openid-configuration":
                self.tell(provider.discovery())
            elif place.path == "/keys":
                self.tell(provider.keys())
            elif place.path == "/authorize":
                self.send_response(HTTPStatus.FOUND)
                self.send_header("Location", provider.authorize(fields(place.query)))
                self.end_headers()
            else:
                self.send_error(HTTPStatus.NOT_FOUND)

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            credentials = self.headers["Authorization"].removeprefix("Basic ")
            self.tell(provider.token(credentials, fields(self.rfile.read(length).decode())))

        def tell(self, content: dict[str, Any]) -> None:
            body = json.dumps(content).encode()
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    provider.issuer = f"http://localhost:{site.server_port}"
    thread = threading.Thread(target=site.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        site.shutdown()
        site.server_close()
        thread.join()


def fields(text: str) -> dict[str, str]:
    return {name: value for name, (value,) in parse_qs(text).items()}
