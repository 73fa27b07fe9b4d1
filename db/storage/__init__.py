"""The database file: opening, migrating, writing."""
