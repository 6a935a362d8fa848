"""Runs, the queue and what taking a run over needs, in PostgreSQL: many machines, one store."""
