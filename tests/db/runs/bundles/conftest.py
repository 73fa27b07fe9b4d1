"""Two installations, and a bundle of the runs of the first."""

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from db.runs.bundles import export_runs
from db.storage.store import Store
from tests.factories.rows import T0, whole_run, with_tasks

LATER = T0 + timedelta(days=1)


@pytest.fixture(scope="package")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an installation's database, a bundle of its runs, and the database of another without runs."""
    folder = tmp_path_factory.mktemp("exchange")
    with_tasks(Store(folder / "there.duckdb"))
    store = with_tasks(Store(folder / "here.duckdb"))
    store.write(
        [
            *whole_run("run-00000001", seed=2**62 + 1, train_seconds=12.5, heartbeat=T0, host="이 기계", pid=4711),
            *whole_run("run-00000002", accuracy=None, model_id="other", status="diverged", created_at=LATER),
            *whole_run("run-00000003", source="submitted", model_id="other", notes="<b>누군가의</b> 주장 🪶"),
        ]
    )
    export_runs(store, folder / "runs.zip")
    return folder


@pytest.fixture
def local(made: Path, tmp_path: Path) -> Store:
    """A store with two measured runs, one of them without figures, and a submitted one."""
    return Store(Path(shutil.copyfile(made / "here.duckdb", tmp_path / "here.duckdb")))


@pytest.fixture
def remote(made: Path, tmp_path: Path) -> Store:
    """Another installation, without runs."""
    return Store(Path(shutil.copyfile(made / "there.duckdb", tmp_path / "there.duckdb")))


@pytest.fixture
def bundle(made: Path, tmp_path: Path) -> Path:
    """All runs of ``here``."""
    return Path(shutil.copyfile(made / "runs.zip", tmp_path / "runs.zip"))
