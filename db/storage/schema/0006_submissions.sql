-- What people hand in. A submission waits here, apart from the board, and becomes a run only when a moderator accepts
-- it. Nothing in these tables is ever deleted but salts; none of them goes into a bundle.

CREATE TABLE submissions (
    submission_id VARCHAR PRIMARY KEY,
    batch_id      VARCHAR NOT NULL,                       -- handed in together, with one secret
    position      INTEGER NOT NULL CHECK (position > 0),  -- in its batch
    secret_hash   VARCHAR NOT NULL,
    client_hash   VARCHAR NOT NULL,                       -- of the client and the day's salt
    via           VARCHAR NOT NULL CHECK (via IN ('form', 'cli', 'api', 'quack')),
    filename      VARCHAR,
    task_id       VARCHAR NOT NULL,
    model         VARCHAR NOT NULL,
    claim         VARCHAR NOT NULL CHECK (json_valid(claim)),     -- db.claims.Claim without its contact
    decimals      VARCHAR NOT NULL CHECK (json_valid(decimals)),  -- to how many its figures were written
    contact       VARCHAR,                                -- private: for moderators alone
    digest        VARCHAR NOT NULL,                       -- of claim, predictions and curves
    answers_hash  VARCHAR,                                -- of the predictions; NULL without
    bytes         BIGINT  NOT NULL CHECK (bytes >= 0),
    state         VARCHAR NOT NULL CHECK (state IN ('waiting', 'accepted', 'rejected', 'merged', 'withdrawn')),
    reason        VARCHAR,
    run_id        VARCHAR,                                -- the run that it became, or is merged into
    merged_into   VARCHAR,                                -- the submission that stands for it
    created_at    TIMESTAMP NOT NULL,
    decided_at    TIMESTAMP
);

-- As they came: an example twice, or one of another split, is counted when they are verified.
CREATE TABLE submission_predictions (
    submission_id VARCHAR NOT NULL,
    example_id    VARCHAR NOT NULL,
    predicted     VARCHAR,
    score         FLOAT CHECK (score IS NULL OR isfinite(score))
);

CREATE TABLE submission_curves (
    submission_id VARCHAR NOT NULL,
    series        VARCHAR NOT NULL,
    step          BIGINT  NOT NULL,
    epoch         DOUBLE CHECK (epoch IS NULL OR isfinite(epoch)),
    value         DOUBLE  NOT NULL CHECK (isfinite(value)),
    PRIMARY KEY (submission_id, series, step)
);

-- Every row is sealed by a hash over itself and the row before, so that a row that is changed or taken out shows.
CREATE TABLE submission_audit (
    entry         BIGINT PRIMARY KEY,                     -- 1, 2, 3 ...
    submission_id VARCHAR NOT NULL,
    action        VARCHAR NOT NULL,
    actor         VARCHAR NOT NULL CHECK (actor IN ('moderator', 'submitter', 'system')),
    details       VARCHAR NOT NULL CHECK (json_valid(details)),
    done_at       TIMESTAMP NOT NULL,
    seal          VARCHAR NOT NULL
);

-- Salts of the last two days. Without its salt a client's hash tells nothing, so older ones are forgotten.
CREATE TABLE submission_salts (
    day  DATE PRIMARY KEY,
    salt VARCHAR NOT NULL
);

-- Runs that have left the board; their rows stay.
CREATE TABLE withdrawals (
    run_id       VARCHAR PRIMARY KEY,
    reason       VARCHAR,
    withdrawn_at TIMESTAMP NOT NULL
);
