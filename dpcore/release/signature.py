"""Signatures of certificates: Ed25519, with a key that lies beside the ledger.

A signature covers the certificate's fingerprint, which covers all that the certificate says, the
public key included, and through their digests all files. So a signature fits one release only. It
says that whoever has the private key issued the release; it says nothing about the data.
"""

from __future__ import annotations

import base64
import binascii
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpcore.errors import BadInput
from dpcore.release.ledger_store import put_in_place

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

FILE = "signing.key"
PREFIX = "ed25519:"
#: What is signed begins so: no signature made for anything else fits.
PURPOSE = b"dpcore release certificate\n"
#: A public key, and a signature, in bytes.
KEY_BYTES, SIGNATURE_BYTES = 32, 64
#: A file with a public key is a line of text.
MOST_TEXT = 4096


class Unavailable(BadInput):
    """The library that signs and checks signatures is not installed."""


@dataclass(frozen=True)
class Signer:
    """A private key that signs certificates."""

    _key: Ed25519PrivateKey

    @property
    def public_key(self) -> str:
        """The key that anybody may have, to check signatures with."""
        return PREFIX + _text(self._key.public_key().public_bytes_raw())

    def sign(self, digest: str) -> str:
        """The signature of a certificate's fingerprint."""
        return _text(self._key.sign(PURPOSE + digest.encode()))


def signer(folder: Path) -> Signer | None:
    """The signer whose key is in a ledger's folder, or None where there is no key."""
    path = folder / FILE
    if not path.exists():
        return None
    serialization = _library().serialization
    try:
        key = serialization.load_pem_private_key(path.read_bytes(), None)
        if not isinstance(key, _library().ed25519.Ed25519PrivateKey):
            raise ValueError("it is a key of another kind")
    except (ValueError, TypeError) as problem:
        raise ValueError(f"{path} is not a private Ed25519 key: {problem}.") from problem
    return Signer(key)


def make_key(folder: Path) -> Signer:
    """A new key in a ledger's folder, for its owner's eyes only; refused where there is one."""
    library = _library()
    key = library.ed25519.Ed25519PrivateKey.generate()
    content = key.private_bytes(
        library.serialization.Encoding.PEM,
        library.serialization.PrivateFormat.PKCS8,
        library.serialization.NoEncryption(),
    )
    path = folder / FILE
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{FILE}.{secrets.token_hex(8)}")
    try:
        with open(draft, "xb", opener=lambda p, flags: os.open(p, flags, 0o600)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        put_in_place(draft, path)
    except FileExistsError:
        raise ValueError(f"{path} is there already. Keep it: it signed earlier releases.") from None
    finally:
        draft.unlink(missing_ok=True)
    return Signer(key)


def public_key(folder: Path) -> str | None:
    """The public key of a ledger's folder, also where nothing can be signed."""
    try:
        own = signer(folder)
    except Unavailable:
        return None
    return None if own is None else own.public_key


def retire_key(folder: Path) -> Path:
    """Put the key aside under the name of its public key, so that a new one can be made."""
    old = signer(folder)
    if old is None:
        raise ValueError(f"There is no {folder / FILE} to replace.")
    digits = base64.b64decode(old.public_key.removeprefix(PREFIX)).hex()[:16]
    aside = folder / f"{FILE}.{digits}"
    (folder / FILE).rename(aside)
    return aside


def fits(public_key: str, digest: str, signature: str) -> bool:
    """Whether a signature of this fingerprint was made with the key's private half."""
    from_text = public_key_bytes(public_key)
    library = _library()
    key = library.ed25519.Ed25519PublicKey.from_public_bytes(from_text)
    try:
        key.verify(_bytes(signature, SIGNATURE_BYTES), PURPOSE + digest.encode())
    except (library.InvalidSignature, ValueError):
        return False
    return True


def public_key_bytes(text: str) -> bytes:
    """The bytes of a public key, or a ValueError that says what a key looks like."""
    try:
        if not text.startswith(PREFIX):
            raise ValueError
        return _bytes(text.removeprefix(PREFIX), KEY_BYTES)
    except ValueError:
        raise ValueError(
            f"A public key is {PREFIX} and 44 characters, as `dpcore key` prints it, not "
            f"{text[:80]!r}."
        ) from None


def trusted(key_or_file: str) -> str:
    """A public key given as text or as a file that holds it."""
    text = key_or_file
    if not key_or_file.startswith(PREFIX):
        try:
            with open(key_or_file, "rb") as file:
                text = file.read(MOST_TEXT).decode()
        except (OSError, ValueError) as problem:
            raise ValueError(
                f"{key_or_file} is neither a public key ({PREFIX}...) nor a file with one."
            ) from problem
    public_key_bytes(text.strip())
    return text.strip()


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _bytes(text: str, length: int) -> bytes:
    """The bytes of a text, which has one form only."""
    try:
        content = base64.b64decode(text, validate=True)
    except binascii.Error as problem:
        raise ValueError(str(problem)) from problem
    if len(content) != length or _text(content) != text:
        raise ValueError(f"{length} bytes are needed")
    return content


def _library() -> Any:
    """The parts of `cryptography` that are used here."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError as problem:
        raise Unavailable(
            "Signatures need the package cryptography: pip install 'dpcore[sign]'."
        ) from problem
    return _Library(InvalidSignature, serialization, ed25519)


@dataclass(frozen=True)
class _Library:
    InvalidSignature: Any
    serialization: Any
    ed25519: Any
