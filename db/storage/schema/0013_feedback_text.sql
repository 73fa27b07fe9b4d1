-- Reports about texts with the labels of any task. A constraint cannot be changed, so the table is made again.
ALTER TABLE feedback RENAME TO feedback_without_text;
CREATE TABLE feedback (
    feedback_id  VARCHAR PRIMARY KEY,                     -- a hash of the case: the same report twice is one row
    kind         VARCHAR NOT NULL CHECK (kind IN ('qa', 'sentiment', 'nli', 'text')),
    model        VARCHAR NOT NULL,                        -- as it was chosen
    run_id       VARCHAR,
    checkpoint   VARCHAR,                                 -- sha256 of the weights that answered
    context      VARCHAR,                                 -- qa
    question     VARCHAR,                                 -- qa
    text         VARCHAR,                                 -- sentiment, text
    premise      VARCHAR,                                 -- nli
    hypothesis   VARCHAR,                                 -- nli
    said         VARCHAR NOT NULL,                        -- the model's answer; empty where it gave none
    said_start   BIGINT CHECK (said_start >= 0),          -- places count characters (code points) of the context
    probability  DOUBLE CHECK (probability >= 0 AND probability <= 1),
    right_answer VARCHAR,                                 -- NULL: the reporter does not know
    right_start  BIGINT CHECK (right_start >= 0),
    unanswerable BOOLEAN NOT NULL,                        -- the right answer is that the text does not answer
    comment      VARCHAR NOT NULL,
    created_at   TIMESTAMP NOT NULL                       -- when it was reported last
);
INSERT INTO feedback BY NAME SELECT * FROM feedback_without_text;
DROP TABLE feedback_without_text;
