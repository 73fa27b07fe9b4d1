-- Where runs come from, what they hold, and what they held before. See db.storage.seals and db.storage.ownership.

-- Scores of each answer that stay with a run whose answers are withheld: by the official rules, and by the deck's.
ALTER TABLE predictions ADD COLUMN f1 FLOAT;
ALTER TABLE predictions ADD COLUMN em FLOAT;
ALTER TABLE predictions ADD COLUMN f1_seed FLOAT;
ALTER TABLE predictions ADD COLUMN em_seed FLOAT;

-- A digest of each part of each run, written with it.
CREATE TABLE seals (
    run_id VARCHAR NOT NULL,
    part   VARCHAR NOT NULL,       -- the table
    digest VARCHAR NOT NULL,
    PRIMARY KEY (run_id, part)
);

-- Runs that were not made by this installation. One without a row here was.
CREATE TABLE provenance (
    run_id       VARCHAR PRIMARY KEY,
    origin       VARCHAR NOT NULL CHECK (origin IN ('shipped', 'imported', 'pushed')),
    installation VARCHAR,           -- the public key that its bundle is signed with; only its owner may replace it
    received_by  VARCHAR,           -- the name of the push token that it came by
    received_at  TIMESTAMP NOT NULL
);

-- What a run was before it was replaced; `content` is a bundle of the former run.
CREATE TABLE run_versions (
    run_id       VARCHAR   NOT NULL,
    version      INTEGER   NOT NULL CHECK (version > 0),
    name         VARCHAR   NOT NULL,
    figures      VARCHAR   NOT NULL CHECK (json_valid(figures)),
    replaced_at  TIMESTAMP NOT NULL,
    replaced_by  VARCHAR   NOT NULL,
    content      BLOB      NOT NULL,
    PRIMARY KEY (run_id, version)
);

-- Runs that are there already are sealed as they are.
INSERT INTO seals SELECT run_id, 'runs' AS part, sha256(string_agg(concat(coalesce(task_id::VARCHAR, chr(29)),
chr(31), coalesce(task_version::VARCHAR, chr(29)), chr(31), coalesce(model_id::VARCHAR, chr(29)), chr(31),
coalesce(name::VARCHAR, chr(29)), chr(31), coalesce(recipe::VARCHAR, chr(29)), chr(31), coalesce(recipe_json::VARCHAR,
chr(29)), chr(31), coalesce(recipe_hash::VARCHAR, chr(29)), chr(31), coalesce(seed::VARCHAR, chr(29)), chr(31),
coalesce(dataset::VARCHAR, chr(29)), chr(31), coalesce(dataset_hash::VARCHAR, chr(29)), chr(31),
coalesce(split::VARCHAR, chr(29)), chr(31), coalesce(source::VARCHAR, chr(29)), chr(31), coalesce(verified::VARCHAR,
chr(29)), chr(31), coalesce(status::VARCHAR, chr(29)), chr(31), coalesce(device::VARCHAR, chr(29)), chr(31),
coalesce(code_version::VARCHAR, chr(29)), chr(31), coalesce(libraries::VARCHAR, chr(29)), chr(31),
coalesce(train_seconds::VARCHAR, chr(29)), chr(31), coalesce(teacher::VARCHAR, chr(29)), chr(31),
coalesce(citation::VARCHAR, chr(29)), chr(31), coalesce(command::VARCHAR, chr(29)), chr(31), coalesce(notes::VARCHAR,
chr(29)), chr(31), coalesce(caveat::VARCHAR, chr(29))), chr(30) ORDER BY name)) AS digest FROM runs GROUP BY run_id;
INSERT INTO seals SELECT run_id, 'metrics' AS part, sha256(string_agg(concat(coalesce(name::VARCHAR, chr(29)),
chr(31), coalesce(value::VARCHAR, chr(29)), chr(31), coalesce(n::VARCHAR, chr(29)), chr(31), coalesce(low::VARCHAR,
chr(29)), chr(31), coalesce(high::VARCHAR, chr(29))), chr(30) ORDER BY name)) AS digest FROM metrics GROUP BY run_id;
INSERT INTO seals SELECT run_id, 'curves' AS part, sha256(string_agg(concat(coalesce(series::VARCHAR, chr(29)),
chr(31), coalesce(step::VARCHAR, chr(29)), chr(31), coalesce(epoch::VARCHAR, chr(29)), chr(31),
coalesce(value::VARCHAR, chr(29)), chr(31), coalesce(wall_time::VARCHAR, chr(29))), chr(30) ORDER BY series, step)) AS
digest FROM curves GROUP BY run_id;
INSERT INTO seals SELECT run_id, 'predictions' AS part, sha256(string_agg(concat(coalesce(example_id::VARCHAR,
chr(29)), chr(31), coalesce(gold::VARCHAR, chr(29)), chr(31), coalesce(predicted::VARCHAR, chr(29)), chr(31),
coalesce(score::VARCHAR, chr(29)), chr(31), coalesce(f1::VARCHAR, chr(29)), chr(31), coalesce(em::VARCHAR, chr(29)),
chr(31), coalesce(f1_seed::VARCHAR, chr(29)), chr(31), coalesce(em_seed::VARCHAR, chr(29))), chr(30) ORDER BY
example_id, predicted)) AS digest FROM predictions GROUP BY run_id;
