"""Memory across runs: observations in SQLite, their words in FTS5, their meaning in vectors."""
