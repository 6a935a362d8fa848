"""One file that proves a run: export it, check every claim again offline, rebuild its report.

The format is described in `docs/runfile.md`. Nothing here opens a socket or asks a model.
"""
