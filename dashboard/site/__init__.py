"""The board as static files, for any host and for a folder: no server, both languages, tables that sort."""
