-- Votes of visitors between the answers of two models whose names they did not see. They belong to an installation; no
-- bundle carries them. The texts are not kept.
CREATE TABLE votes (
    ballot      VARCHAR PRIMARY KEY,                      -- of the visitor, the pair, the texts and the day's salt
    client_hash VARCHAR NOT NULL,                         -- of the client and the day's salt
    kind        VARCHAR NOT NULL CHECK (kind IN ('qa', 'sentiment', 'nli')),
    left_model  VARCHAR NOT NULL,                         -- by name, as they stood side by side
    right_model VARCHAR NOT NULL CHECK (right_model <> left_model),
    verdict     VARCHAR NOT NULL CHECK (verdict IN ('left', 'right', 'tie', 'neither')),
    created_at  TIMESTAMP NOT NULL
);
