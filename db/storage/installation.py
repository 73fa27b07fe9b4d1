"""Who an installation is: an Ed25519 key made once beside its database, with which its bundles are signed.

Its public key is its id. A board remembers the id that a run came with; only a bundle signed with the same key may
replace the run. A shared secret would not do: whoever can check a signature could then forge it.
"""

import hashlib
import io
import json
import os
import zipfile
from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from db.base.errors import BundleError, one_line

_MANIFEST = "manifest.json"
_SIGNED = "signed"


def key_file(database: Path) -> Path:
    """The file with the signing key of a database."""
    return database.with_name(database.name + ".key")


def own_id(database: Path) -> str:
    """Return the id of the installation that a database belongs to; its key is made where there is none.

    Raises:
        OSError: The key cannot be read or written.
        ValueError: The file holds no key.
    """
    return _key(database).public_key().public_bytes_raw().hex()


def _key(database: Path) -> Ed25519PrivateKey:
    file = key_file(database)
    with suppress(FileNotFoundError):
        return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(file.read_text("ascii").strip()))
    made = Ed25519PrivateKey.generate()
    # Written whole under another name first: of two processes that make one at once, the first that links it wins.
    part = file.with_name(f"{file.name}.{os.getpid()}-{os.urandom(4).hex()}")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as out:
        out.write(made.private_bytes_raw().hex() + "\n")
    try:
        file.hardlink_to(part)
    except FileExistsError:
        return _key(database)
    finally:
        part.unlink()
    return made


def sign(content: bytes, database: Path) -> bytes:
    """Sign a bundle with the key of a database; where no key can be had, the bundle stays as it is."""
    try:
        key = _key(database)
    except (OSError, ValueError):  # a read-only folder; an unsigned bundle adds its runs, and can replace none
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        manifest = json.loads(archive.read(_MANIFEST))
        manifest["sha256"] = _hashes(archive)
        mark = {"installation": key.public_key().public_bytes_raw().hex()}
        manifest[_SIGNED] = {**mark, "signature": key.sign(_content(manifest)).hex()}
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as signed:
            for member in archive.infolist():
                if member.filename != _MANIFEST:
                    signed.writestr(member, archive.read(member))
            text = json.dumps(manifest, ensure_ascii=False, indent=1)
            signed.writestr(archive.getinfo(_MANIFEST), text.encode())
    return buffer.getvalue()


def signer(content: bytes, where: str) -> str | None:
    """Return the id of the installation that signed a bundle; None where nobody did.

    Raises:
        BundleError: It is no bundle, or was changed after it was signed.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            manifest = json.loads(archive.read(_MANIFEST))
            mark = manifest.get(_SIGNED)
            if mark is None:
                return None
            public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(mark["installation"]))
            public.verify(bytes.fromhex(mark["signature"]), _content(manifest))
            if manifest.get("sha256") != _hashes(archive):
                raise InvalidSignature
            return public.public_bytes_raw().hex()
    except InvalidSignature:
        raise BundleError(
            f"{where}: its content is not what was signed; nothing was changed. Export it again."
        ) from None
    except Exception as error:
        raise BundleError(f"{where}: its signature cannot be read ({one_line(error)}); nothing was changed.") from error


def _hashes(archive: zipfile.ZipFile) -> dict[str, str]:
    names = sorted(name for name in archive.namelist() if name != _MANIFEST)
    return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in names}


def _content(manifest: dict[str, object]) -> bytes:
    unsigned = {name: value for name, value in manifest.items() if name != _SIGNED}
    return json.dumps(unsigned, ensure_ascii=True, sort_keys=True).encode()
