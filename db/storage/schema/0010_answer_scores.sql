-- F1 of each answer cut from a text, in the order of the ids, where the predictions have it: what paired tests of such a
-- board need. `correct` then holds exact match.
ALTER TABLE outcomes ADD COLUMN f1 FLOAT[];
