-- Which examples each run with labels gets right, one bit an example in the order of the ids: what paired tests of a
-- whole board need, 6 KB a run where its predictions take 3 MB. Written with the predictions; see db.storage.outcomes.

CREATE TABLE outcomes (
    run_id   VARCHAR PRIMARY KEY,
    examples VARCHAR NOT NULL,      -- digest of the ids with their gold labels: equal for runs that can be paired
    n        BIGINT  NOT NULL CHECK (n > 0),
    correct  BLOB    NOT NULL       -- the first example is the highest bit of n; padded in front to whole bytes
);

INSERT INTO outcomes
SELECT run_id, md5(string_agg(concat(example_id, chr(31), gold), chr(30) ORDER BY example_id)), count(*),
       string_agg(CASE WHEN gold = predicted THEN '1' ELSE '0' END, '' ORDER BY example_id)::BIT::BLOB
FROM predictions GROUP BY run_id
HAVING count(gold) = count(*) AND NOT bool_or(starts_with(gold, '["')) AND count(*) = count(DISTINCT example_id);
