"""What is kept of secrets: hashes alone.

A submitter's secret is random and long, so that a plain hash does. A client (an address of the network, say) could be
guessed, so its hash has a salt of the day, and salts are forgotten after the two days in which limits count.
"""

import hashlib
import hmac
import secrets
from datetime import timedelta

import duckdb

from db.base.clock import utc_now

SECRET_BYTES = 24


def new_secret() -> str:
    """A secret that nobody guesses, fit for an address."""
    return secrets.token_urlsafe(SECRET_BYTES)


def secret_hash(secret: str) -> str:
    """What is kept of a submitter's secret."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def client_hash(con: duckdb.DuckDBPyConnection, client: str) -> str:
    """What is kept of a client; made with today's salt, inside a transaction."""
    today = utc_now().date()
    con.execute("DELETE FROM submission_salts WHERE day < ?", [today - timedelta(days=1)])
    con.execute("INSERT INTO submission_salts VALUES (?, ?) ON CONFLICT DO NOTHING", [today, secrets.token_hex(32)])
    row = con.execute("SELECT salt FROM submission_salts WHERE day = ?", [today]).fetchone()
    return _salted(str(row[0]) if row else "", client)


def client_hashes(con: duckdb.DuckDBPyConnection, client: str) -> list[str]:
    """The hashes under which a client may be known within a day."""
    return [_salted(str(salt), client) for (salt,) in con.execute("SELECT salt FROM submission_salts").fetchall()]


def _salted(salt: str, client: str) -> str:
    return hmac.new(salt.encode(), client.encode("utf-8", "replace"), hashlib.sha256).hexdigest()
