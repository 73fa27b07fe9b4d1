"""What a client of a listener can do: leave a bundle, read its receipt, and nothing else."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from db import listen, quack
from db.storage.store import Store
from tests.remote.processes import TOKEN, listening, need_extra

need_extra()

UPLOAD, DIGEST = "0" * 32, "0" * 64


@pytest.fixture(scope="module")
def far(_initialised: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Store]]:
    """A listener for all tests of this file, and its board."""
    path = Path(shutil.copyfile(_initialised, tmp_path_factory.mktemp("far") / "far.duckdb"))
    with listening(path) as target:
        yield target, Store(path)


def _ask(target: str, statement: str, token: str = TOKEN) -> list[tuple[object, ...]]:
    with quack.connect() as con:
        call = "FROM quack_query(?, ?, token := ?, disable_ssl := true)"
        return con.execute(call, [target, statement, token]).fetchall()


HOSTILE = (
    "SELECT 1",
    "FROM parts",
    "SELECT * FROM uploads",
    "DROP TABLE parts",
    "COPY (SELECT 1) TO 'hostile.csv'",
    "SELECT content FROM read_text('/etc/passwd')",
    "ATTACH 'hostile.duckdb'",
    "SELECT * FROM read_csv('http://127.0.0.1:1/x.csv')",
    "SET GLOBAL quack_authorization_function = 'quack_nop_authorization'",
    "PRAGMA database_list",
    "INSTALL json",
    "CALL quack_stop('quack:127.0.0.1')",
    "SELECT count(*) FROM range(1000000000000) a",
    f"{quack.HELLO};",
    f"{quack.HELLO}; DROP TABLE parts",
    f"{quack.HELLO}--",
    f"{quack.HELLO}\n",
    f"{quack.HELLO} UNION ALL SELECT 1, 2, 3",
    quack.HELLO.lower(),
    f"EXPLAIN {quack.HELLO}",
    quack.RECEIPT.format(upload=UPLOAD[:-1] + "%"),
    quack.RECEIPT.format(upload="' OR '' = '"),
    quack.PART.format(upload=UPLOAD, part="-1", body=""),
    quack.PART.format(upload=UPLOAD, part="0", body="' || (SELECT 'x') || '"),
    quack.PART.format(upload=UPLOAD, part="0", body="A" * 2 * quack.PART_BYTES),
    quack.OFFER.format(upload=UPLOAD, sha256=DIGEST, parts="(SELECT 1)"),
    "INSERT INTO parts VALUES (NULL)",
    "INSERT INTO main.parts VALUES (NULL)",
    "",
)


def test_a_client_can_run_four_statements_and_no_other(far: tuple[str, Store]) -> None:
    """Even with the token, nothing else gets past: no reading, no file, no address, no setting, no second statement."""
    target, store = far
    before = store.path.read_bytes()
    with quack.connect() as con:
        call = "FROM quack_query(?, ?, token := ?, disable_ssl := true)"
        for statement in HOSTILE:
            with pytest.raises(duckdb.Error, match="Authorization failed"):
                con.execute(call, [target, statement, TOKEN])
        with pytest.raises(duckdb.Error, match="Authorization failed"):
            con.execute(f"ATTACH '{target}' AS far (TYPE quack, TOKEN '{TOKEN}', DISABLE_SSL true)")
    assert _ask(target, quack.HELLO)[0][0] == quack.PROTOCOL
    assert _ask(target, quack.RECEIPT.format(upload=UPLOAD)) == []
    assert _ask(target, quack.PART.format(upload=UPLOAD, part=0, body="AAAA")) == [(0,)]
    assert store.path.read_bytes() == before


def test_the_list_of_statements_is_those_four() -> None:
    """Each of them passes with values of its form, and every hostile one fails, by Python's rules as well."""
    pattern = re.compile(quack.allowed())
    for statement in (
        quack.HELLO,
        quack.OFFER.format(upload=UPLOAD, sha256=DIGEST, parts=3),
        quack.PART.format(upload=UPLOAD, part=0, body="AA=="),
        quack.RECEIPT.format(upload=UPLOAD),
    ):
        assert pattern.fullmatch(statement), statement
    assert not [text for text in HOSTILE if pattern.fullmatch(text) and len(text) < quack.PART_BYTES]


@pytest.mark.parametrize(
    "statement",
    [
        "COPY (SELECT 1) TO 'hostile.csv'",
        "SELECT content FROM read_text('/etc/passwd')",
        "FROM glob('/*')",
        "ATTACH 'hostile.duckdb'",
        "ATTACH 'quack:127.0.0.1:1' AS q (TYPE quack, TOKEN 'abcd')",
        "SELECT * FROM read_csv('http://127.0.0.1:1/x.csv')",
        "FROM quack_query('quack:127.0.0.1:1', 'SELECT 1', token := 'abcd', disable_ssl := true)",
        "SET enable_external_access = true",
        "SET GLOBAL quack_authorization_function = 'quack_nop_authorization'",
        "SET memory_limit = '100GB'",
        "SET threads = 64",
        "RESET lock_configuration",
        "INSTALL json",
        "LOAD '/tmp/hostile.duckdb_extension'",
        "EXPORT DATABASE 'hostile'",
        "CREATE TABLE hog AS SELECT random() AS x FROM range(100000000)",
    ],
)
def test_behind_the_list_stand_the_locks_of_duckdb(
    statement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A statement that did get past could read and write no file, reach no address and unlock nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(listen, "MEMORY", "50MB")
    with listen.open_inbox() as con, pytest.raises(duckdb.Error):
        con.execute(statement).fetchall()
    assert not list(tmp_path.iterdir())
