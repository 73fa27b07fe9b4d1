"""Zip files from strangers: members are named beforehand, counted, measured and read in memory, never onto the disk."""

import io
import stat
import zipfile
import zlib
from collections.abc import Callable

from db.importers import safe_json
from db.importers.safe_json import FileError, quoted, shown

MAGIC = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_MEMBERS = 64
_MEMBER_BYTES = 64 * 1024 * 1024
_TOTAL_BYTES = 256 * 1024 * 1024
_RATIO = 100
_SMALL = 64 * 1024
"""Members below this size may be packed as tightly as they like."""
_ENTRY = b"PK\x01\x02"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def members(name: str, content: bytes, known: Callable[[str], bool]) -> dict[str, bytes]:
    """The members of a zip, by name; ``known`` tells which names may be there.

    Raises:
        SubmissionError: It is damaged, has too many or unknown members, or one is encrypted, a link, a folder, outside
            the archive by its name, or unpacks to too much.
    """
    safe_json.check_size(name, content)
    # The list of members is built whole before it can be looked at.
    if content.count(_ENTRY) > _MEMBERS:
        raise FileError(name, "", f"the zip has more than {_MEMBERS} members.")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            infos = archive.infolist()
            _check(name, infos, known)
            return {info.filename: _unpacked(name, archive, info) for info in infos}
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError) as error:
        reason = shown(str(error) or type(error).__name__, 100)
        raise FileError(name, "", f"no zip that can be read ({reason}); export the bundle again.") from None


def names(content: bytes) -> list[str]:
    """The names of a zip's members, for telling formats apart; none where it cannot be read."""
    if content.count(_ENTRY) > 100_000:
        return []
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return []


def _check(name: str, infos: list[zipfile.ZipInfo], known: Callable[[str], bool]) -> None:
    seen: set[str] = set()
    total = 0
    for info in infos:
        location = f"member {quoted(info.filename)}"
        wrong = _wrong(info, known)
        if wrong:
            raise FileError(name, location, wrong)
        if info.filename in seen:
            raise FileError(name, location, "it stands twice.")
        seen.add(info.filename)
        total += info.file_size
        if total > _TOTAL_BYTES:
            raise FileError(name, "", f"the zip unpacks to more than {_TOTAL_BYTES // 2**20} MiB.")


def _wrong(info: zipfile.ZipInfo, known: Callable[[str], bool]) -> str | None:
    parts = info.filename.replace("\\", "/").split("/")
    kind = stat.S_IFMT(info.external_attr >> 16)
    checks = (
        (
            info.filename.startswith(("/", "\\")) or ".." in parts or ":" in parts[0],
            "its path leads out of the archive.",
        ),
        (kind not in (0, stat.S_IFREG) or info.is_dir(), "a link, a folder or a device; only files are taken."),
        (bool(info.flag_bits & 0x1), "it is encrypted."),
        (info.compress_type not in _METHODS, "its compression is neither “stored” nor “deflated”."),
        (not known(info.filename), "a bundle has no such member; send the file that `featherboard export` wrote."),
        (info.file_size > _MEMBER_BYTES, f"it unpacks to more than {_MEMBER_BYTES // 2**20} MiB."),
        (info.file_size > max(_SMALL, _RATIO * info.compress_size), f"it unpacks to {_RATIO} times its size."),
    )
    return next((message for wrong, message in checks if wrong), None)


def _unpacked(name: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with archive.open(info) as member:
        content = member.read(info.file_size + 1)
    if len(content) != info.file_size:
        raise FileError(name, f"member {quoted(info.filename)}", "its size is not the one that the zip names.")
    return content
