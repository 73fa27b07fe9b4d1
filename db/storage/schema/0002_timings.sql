-- What `featherboard bench` measured: how long one call takes for each number of tokens and threads, and on which
-- machine. A run of this kind is one model in one precision on one machine; quality is no part of it.

CREATE TABLE timings (
    run_id       VARCHAR NOT NULL,
    precision    VARCHAR NOT NULL CHECK (precision IN ('float32', 'bfloat16', 'int8')),
    threads      INTEGER NOT NULL CHECK (threads > 0),
    tokens       INTEGER NOT NULL CHECK (tokens > 0),        -- of each example
    batch        INTEGER NOT NULL CHECK (batch > 0),         -- examples in one call
    calls        BIGINT  NOT NULL CHECK (calls > 0),         -- timed calls, warm-up not counted
    p50_ms       DOUBLE  NOT NULL CHECK (isfinite(p50_ms) AND p50_ms > 0),   -- of one call
    p95_ms       DOUBLE  NOT NULL CHECK (isfinite(p95_ms)),
    p99_ms       DOUBLE  NOT NULL CHECK (isfinite(p99_ms)),
    per_s        DOUBLE  NOT NULL CHECK (isfinite(per_s) AND per_s > 0),     -- examples a second at the median
    load_average DOUBLE CHECK (load_average IS NULL OR (isfinite(load_average) AND load_average >= 0)),  -- highest seen
    celsius      DOUBLE CHECK (celsius IS NULL OR isfinite(celsius)),        -- hottest sensor, highest seen
    clock_mhz    DOUBLE CHECK (clock_mhz IS NULL OR (isfinite(clock_mhz) AND clock_mhz > 0)),    -- lowest seen
    CHECK (p50_ms <= p95_ms AND p95_ms <= p99_ms),
    PRIMARY KEY (run_id, precision, threads, tokens, batch)
);

CREATE TABLE machines (
    run_id       VARCHAR PRIMARY KEY,
    name         VARCHAR NOT NULL,                           -- what its owner calls it, or what it calls itself
    cpu          VARCHAR NOT NULL,
    architecture VARCHAR NOT NULL,
    cores        INTEGER NOT NULL CHECK (cores > 0),         -- that the run could use
    memory_bytes BIGINT CHECK (memory_bytes > 0),
    os           VARCHAR,
    facts        VARCHAR NOT NULL CHECK (json_valid(facts))  -- clocks, throttling, how busy it was, the memory limit
);
