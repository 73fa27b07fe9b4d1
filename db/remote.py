"""Send runs over HTTP to the board of another machine, where ``featherboard serve-api`` runs.

Runs are in this machine's database before they are sent, so nothing is lost while the other board is away: a folder
beside the database holds an empty file for each run that waits, and its bundle is made when it is sent. Sending again
changes nothing, since taking in a bundle is idempotent.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_random_exponential

from db.base.errors import RemoteError
from db.runs import bundles
from db.runs.bundles import Imported
from db.storage.store import Store

VARIABLE = "FEATHERBOARD_URL"

MAX_BUNDLE_BYTES = 64 * 1024 * 1024
"""Of one bundle; 50,000 predictions take 3 MB."""

GROUP = 8
"""Runs that ``push`` puts into one bundle."""

WAIT_S = 120.0
"""Seconds for which an answer that asks to come again, or none at all, is tried again."""

_TIMEOUT = httpx.Timeout(30.0, read=180.0, write=180.0)
_AGAIN = frozenset({408, 429, 499, 500, 502, 503, 504})
_SAFE = "The runs are kept here; pushing again changes nothing that has arrived."


class _AwayError(Exception):
    """The other board did not take a bundle now; trying again may help."""


class _RefusedError(Exception):
    """The other board does not take this bundle."""


@dataclass(frozen=True)
class Target:
    """The service of another board."""

    url: str
    token: str

    @property
    def is_encrypted(self) -> bool:
        """Whether nobody on the way can read the token."""
        return self.url.startswith("https:") or urlsplit(self.url).hostname in {"localhost", "127.0.0.1", "::1"}


def parse_url(text: str) -> str:
    """The address of a board's service.

    Raises:
        RemoteError: It is none.
    """
    try:
        parts = urlsplit(text.strip())
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        valid = valid and not (parts.username or parts.password or parts.query or parts.fragment)
    except ValueError:
        valid = False
    if not valid:
        raise RemoteError(
            f"{text!r} is no address of a board's service; write https://HOST or http://HOST:8600, where "
            "`featherboard serve-api` runs."
        )
    return text.strip().rstrip("/")


def measured(store: Store) -> list[str]:
    """The runs that ``push`` sends by default, oldest first."""
    sql = "SELECT run_id FROM runs WHERE source = 'measured' AND status <> 'running' ORDER BY created_at, run_id"
    return [str(run_id) for run_id in store.query(sql)["run_id"]]


def push(
    store: Store,
    target: Target,
    run_ids: Sequence[str],
    progress: Callable[[int], None] = lambda _: None,
    wait_s: float = WAIT_S,
    timeout: httpx.Timeout = _TIMEOUT,
) -> Imported:
    """Send runs of this board to another one, in bundles of ``GROUP``.

    Args:
        store: This machine's board.
        target: The other one.
        run_ids: Which runs.
        progress: Called with the number of runs that are dealt with, after each bundle.
        wait_s: Seconds for which each bundle is tried.
        timeout: Of each try.

    Raises:
        RemoteError: Not all are in the other board; the message says why and what to do.
        NotFoundError: One of the ids does not exist.
    """
    ids = list(dict.fromkeys(run_ids))
    done, refused = Imported(0, 0, 0), dict[str, str]()
    with client(target, timeout=timeout) as opened:
        for start in range(0, len(ids), GROUP):
            group = ids[start : start + GROUP]
            for result in _send_group(store, opened, group, wait_s, refused):
                note = " ".join(dict.fromkeys(filter(None, (done.note, result.note))))
                counts = (done.added + result.added, done.updated + result.updated, done.unchanged + result.unchanged)
                done = Imported(*counts, note)
            for run_id in group:
                (outbox(store.path) / run_id).unlink(missing_ok=True)
            progress(start + len(group))
    if refused:
        run_id, reason = next(iter(refused.items()))
        raise RemoteError(
            f"{target.url} refused {len(refused)} of {len(ids)} run(s), run {run_id[:12]} because: {reason} They stay "
            "here and are not sent again by themselves; the others are there."
        )
    return done


def deliver(store: Store, target: Target, run_ids: Sequence[str], wait_s: float) -> Imported:
    """Send runs that have just been made, and those that wait from before; what does not arrive waits.

    Raises:
        RemoteError: Not all are in the other board.
    """
    enqueue(store, run_ids)
    box = outbox(store.path)
    waiting = [file.name for file in sorted(box.iterdir(), key=lambda file: file.stat().st_mtime_ns)]
    rows = store.query("SELECT run_id, status FROM runs")
    present = dict(zip(rows["run_id"], rows["status"], strict=True))
    for gone in set(waiting) - present.keys() - set(run_ids):
        (box / gone).unlink(missing_ok=True)
    ended = [run_id for run_id in waiting if present.get(run_id, "running") != "running"]
    return push(store, target, ended, wait_s=wait_s)


def deliver_last(store: Store, target: Target, run_ids: Sequence[str], wait_s: float) -> Imported:
    """Send the last runs of a program that was stopped, as many as one bundle holds; whoever stopped it waits.

    Args:
        store: This machine's board.
        target: The other one.
        run_ids: What has ended, the last one last; all of them wait until they are sent.
        wait_s: Seconds for a try, and until no other one begins.

    Raises:
        RemoteError: They are not in the other board.
    """
    enqueue(store, run_ids)
    return push(store, target, run_ids[-GROUP:], wait_s=wait_s, timeout=httpx.Timeout(wait_s))


def enqueue(store: Store, run_ids: Iterable[str]) -> None:
    """Let runs wait to be sent once they have ended."""
    outbox(store.path).mkdir(parents=True, exist_ok=True)
    for run_id in run_ids:
        (outbox(store.path) / run_id).touch()


def outbox(database: Path) -> Path:
    """The folder with an empty file for each run that waits to be sent."""
    return database.with_name(database.name + ".outbox")


@contextmanager
def client(
    target: Target, content_type: str = "application/zip", timeout: httpx.Timeout = _TIMEOUT
) -> Iterator[httpx.Client]:
    """A client that sends this machine's token, where it has one."""
    # Without encryption a proxy that the environment names would see the token.
    secure = target.url.startswith("https:")
    headers = {"Content-Type": content_type}
    if target.token:
        headers["Authorization"] = f"Bearer {target.token}"
    with httpx.Client(base_url=target.url, headers=headers, timeout=timeout, trust_env=secure) as opened:
        yield opened


def _send_group(
    store: Store, client: httpx.Client, group: Sequence[str], wait_s: float, refused: dict[str, str]
) -> Iterator[Imported]:
    """Send runs in one bundle, or in halves where it is too large or refused: one bad run must not keep others back."""
    try:
        content, _ = bundles.bundle(store, group)
        if len(content) > MAX_BUNDLE_BYTES:
            raise _RefusedError(f"its bundle is larger than {MAX_BUNDLE_BYTES // 2**20} MiB.")
        yield _send(client, content, wait_s)
    except _RefusedError as error:
        if len(group) == 1:
            refused[group[0]] = str(error)
            return
        middle = len(group) // 2
        yield from _send_group(store, client, group[:middle], wait_s, refused)
        yield from _send_group(store, client, group[middle:], wait_s, refused)


def _send(client: httpx.Client, content: bytes, wait_s: float) -> Imported:
    """Send one bundle until its receipt comes."""
    attempts = Retrying(
        retry=retry_if_exception_type(_AwayError),
        stop=stop_after_delay(wait_s),
        wait=wait_random_exponential(multiplier=0.2, max=8.0),
        reraise=True,
    )
    try:
        return attempts(_post, client, content)
    except _AwayError as error:
        raise RemoteError(f"{client.base_url}: {error} (tried for {wait_s:g} s). {_SAFE}") from None


def _post(client: httpx.Client, content: bytes) -> Imported:
    try:
        response = client.post("v1/bundles", content=content)
    except httpx.TransportError as error:
        raise _AwayError(f"no answer ({error})") from None
    status = response.status_code
    if status in _AGAIN:
        raise _AwayError(message(response))
    if status in {413, 422}:
        raise _RefusedError(message(response))
    if status in {401, 403}:
        raise RemoteError(
            f"{client.base_url} does not take this machine's token; it must be among the FEATHERBOARD_TOKENS of that "
            f"service. {_SAFE}"
        )
    try:
        receipt = response.raise_for_status().json()
        return Imported(receipt["added"], receipt["updated"], receipt["unchanged"], receipt["note"])
    except (httpx.HTTPStatusError, ValueError, KeyError, TypeError):
        raise RemoteError(
            f"{client.base_url} answers ({status}), but not as `featherboard serve-api` does; look at the address, and "
            f"update both sides. {_SAFE}"
        ) from None


def message(response: httpx.Response) -> str:
    """What a service says in an error."""
    try:
        return str(response.json()["error"]["message"])[:500]
    except (ValueError, KeyError, TypeError):
        return f"answer {response.status_code}"
