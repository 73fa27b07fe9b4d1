-- Tables have primary keys but no foreign keys: DuckDB cannot update a parent row that has children, and a run is
-- updated many times while its curves grow. `featherboard db check` finds orphans instead.

CREATE TABLE tasks (
    task_id     VARCHAR NOT NULL,
    version     INTEGER NOT NULL,
    name        VARCHAR NOT NULL,
    language    VARCHAR NOT NULL,
    question    VARCHAR NOT NULL,           -- what is asked, one line
    scoring     VARCHAR NOT NULL,           -- how it is scored, one line
    metric      VARCHAR NOT NULL,           -- the primary metric
    direction   VARCHAR NOT NULL CHECK (direction IN ('max', 'min')),
    dataset     VARCHAR NOT NULL,
    split       VARCHAR NOT NULL,
    split_size  BIGINT,                     -- examples in the split; NULL where it is not one split
    mini        BOOLEAN NOT NULL,           -- a shipped mini corpus: never ranked beside a full data set
    position    INTEGER NOT NULL,           -- order of the tabs
    PRIMARY KEY (task_id, version)
);

CREATE TABLE models (
    model_id        VARCHAR PRIMARY KEY,
    name            VARCHAR NOT NULL,
    family          VARCHAR NOT NULL,
    architecture    VARCHAR NOT NULL,
    config          VARCHAR NOT NULL CHECK (json_valid(config)),
    params          BIGINT CHECK (params > 0),            -- computed from the architecture or the checkpoint
    params_reported BIGINT CHECK (params_reported > 0),   -- as a document prints it
    language        VARCHAR,
    licence         VARCHAR,
    link            VARCHAR
);

CREATE TABLE runs (
    run_id        VARCHAR PRIMARY KEY,
    task_id       VARCHAR NOT NULL,
    task_version  INTEGER NOT NULL,
    model_id      VARCHAR NOT NULL,
    name          VARCHAR NOT NULL,         -- as printed in the document, or the recipe's name
    recipe        VARCHAR,
    recipe_json   VARCHAR CHECK (recipe_json IS NULL OR json_valid(recipe_json)),
    recipe_hash   VARCHAR,
    seed          BIGINT,
    dataset       VARCHAR NOT NULL,         -- what it was trained on
    dataset_hash  VARCHAR,
    split         VARCHAR NOT NULL,         -- what it was scored on
    source        VARCHAR NOT NULL CHECK (source IN ('reported', 'measured', 'submitted')),
    verified      BOOLEAN NOT NULL DEFAULT false,
    status        VARCHAR NOT NULL CHECK (status IN ('running', 'finished', 'failed', 'interrupted', 'diverged')),
    heartbeat     TIMESTAMP,                -- UTC, like every time in this file
    host          VARCHAR,
    pid           BIGINT,
    device        VARCHAR,
    code_version  VARCHAR,
    libraries     VARCHAR CHECK (libraries IS NULL OR json_valid(libraries)),
    train_seconds DOUBLE CHECK (train_seconds IS NULL OR isfinite(train_seconds)),
    teacher       VARCHAR,
    citation      VARCHAR,
    command       VARCHAR,                  -- what reproduces it
    notes         VARCHAR,
    caveat        VARCHAR,                  -- a contradiction or limit that must be seen beside the figure
    created_at    TIMESTAMP NOT NULL,
    finished_at   TIMESTAMP,
    updated_at    TIMESTAMP NOT NULL
);

CREATE TABLE metrics (
    run_id VARCHAR NOT NULL,
    name   VARCHAR NOT NULL,
    value  DOUBLE  NOT NULL CHECK (isfinite(value)),      -- DuckDB sorts NaN above every number
    n      BIGINT  CHECK (n > 0),                         -- examples behind the figure
    low    DOUBLE  CHECK (low IS NULL OR isfinite(low)),   -- 95% interval
    high   DOUBLE  CHECK (high IS NULL OR isfinite(high)),
    PRIMARY KEY (run_id, name)
);

CREATE TABLE curves (
    run_id    VARCHAR NOT NULL,
    series    VARCHAR NOT NULL,
    step      BIGINT  NOT NULL,
    epoch     DOUBLE,
    value     DOUBLE  NOT NULL CHECK (isfinite(value)),
    wall_time DOUBLE,                                     -- seconds of training so far
    PRIMARY KEY (run_id, series, step)
);

-- No key: one run writes its predictions once, as a whole, and a key on 50,000 strings a run would cost more than it
-- guards. A run's predictions are replaced together.
CREATE TABLE predictions (
    run_id     VARCHAR NOT NULL,
    example_id VARCHAR NOT NULL,
    gold       VARCHAR,
    predicted  VARCHAR,
    score      FLOAT CHECK (score IS NULL OR isfinite(score))   -- probability that the model gives its answer
);

CREATE TABLE artifacts (
    run_id VARCHAR NOT NULL,
    kind   VARCHAR NOT NULL,
    path   VARCHAR NOT NULL,
    bytes  BIGINT  NOT NULL CHECK (bytes >= 0),
    sha256 VARCHAR NOT NULL,
    PRIMARY KEY (run_id, kind, path)
);

-- A spooled batch that has been taken in is never taken in twice, even if the process dies before deleting its file.
CREATE TABLE ingested_batches (
    batch_id    VARCHAR PRIMARY KEY,
    ingested_at TIMESTAMP NOT NULL
);
