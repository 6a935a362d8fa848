"""What a run leaves for whoever wants to know how it went: the log, `runs.jsonl`, the trace."""
