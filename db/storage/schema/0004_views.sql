-- Views that somebody keeps by name: what a page's address says. They belong to an installation, not to its runs.
CREATE TABLE views (
    page       VARCHAR   NOT NULL,
    name       VARCHAR   NOT NULL,
    query      VARCHAR   NOT NULL,
    created_at TIMESTAMP NOT NULL,
    PRIMARY KEY (page, name)
);
