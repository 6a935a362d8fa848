"""What settings are called on the command line."""

from __future__ import annotations

_SHORTER = {
    "max_execution_time_s": "--max-time",
    "token_budget": "--max-tokens",
    "memory_project": "--project",
    "search_providers": "--provider",
    "model_base_url": "--base-url",
    "serve_host": "--host",
    "serve_port": "--port",
    "serve_workers": "--workers",
    "serve_folders": "--folder",
}


def flag_of(name: str) -> str:
    """The flag that changes a setting, where there is one."""
    return _SHORTER.get(name, "--" + name.replace("_", "-"))
