-- What moderators of this board write beside its runs. It belongs to an installation: no bundle carries it, and a run that
-- is replaced or withdrawn keeps it. Every change is in submission_audit, under the id of the run.
CREATE TABLE annotations (
    run_id   VARCHAR PRIMARY KEY,
    tags     VARCHAR[] NOT NULL,                          -- in small letters, without blanks, sorted
    note     VARCHAR,
    noted_at TIMESTAMP
);
