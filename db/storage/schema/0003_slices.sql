-- Figures of parts of a split: where a model fails, by question word, genre or length.
CREATE TABLE slices (
    run_id VARCHAR NOT NULL,
    facet  VARCHAR NOT NULL,                              -- what the parts differ in
    part   VARCHAR NOT NULL,
    name   VARCHAR NOT NULL,                              -- the metric
    value  DOUBLE  NOT NULL CHECK (isfinite(value)),
    n      BIGINT  NOT NULL CHECK (n > 0),
    low    DOUBLE  CHECK (low IS NULL OR isfinite(low)),
    high   DOUBLE  CHECK (high IS NULL OR isfinite(high)),
    PRIMARY KEY (run_id, facet, part, name)
);
