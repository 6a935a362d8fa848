"""Settings of the service: where it listens, who may ask it, how much it takes on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from leadline.fields.setting import Bounds, Fields, setting

Wait = Annotated[float, Bounds(gt=0, le=86_400)]


class ServeFields(Fields):
    """The HTTP service. None of these is stored with a run."""

    serve_host: str = setting(
        default="127.0.0.1",
        min_length=1,
        max_length=255,
        needs_trust="yes",
        description="Address the service listens on; beyond loopback it asks for keys.",
    )
    serve_port: int = setting(
        default=8470, ge=0, le=65_535, description="Port of the service; 0 takes a free one."
    )
    serve_hosts: tuple[str, ...] = setting(
        default=(),
        needs_trust="yes",
        description="Names under which it is reached beyond loopback; with any, keys are needed.",
    )
    serve_require_keys: bool = setting(
        default=False, description="Ask for a key on loopback too, as behind a proxy."
    )
    serve_folders: tuple[Path, ...] = setting(
        default=(),
        needs_trust="outside",
        description="Folders whose documents a request may name, beside those of docs.",
    )
    serve_workers: int = setting(
        default=100,
        ge=1,
        le=10_000,
        description="Runs that the service carries out at once, where no engine_url is set.",
    )
    serve_max_runs: int = setting(
        default=1000, ge=1, le=100_000, description="Runs that may wait or go on; more get a 429."
    )
    serve_max_body_kb: int = setting(
        default=256, ge=1, le=100_000, description="Kilobytes of a request."
    )
    serve_max_upload_mb: float = setting(
        default=20.0,
        gt=0,
        le=1000,
        description="Megabytes of a file that is given to the service.",
    )
    serve_upload_days: float = setting(
        default=30.0,
        ge=0,
        le=3650,
        description="Days after its last use that a given file is deleted; 0 keeps it.",
    )
    serve_max_task_chars: int = setting(
        default=20_000, ge=1, le=20_000, description="Characters of a question."
    )
    serve_wait_s: Wait = setting(
        default=900.0, description="Seconds a request waits for its run; the run goes on after."
    )
    serve_heartbeat_s: Wait = setting(
        default=15.0,
        description="Seconds of silence after which a stream of events is kept alive.",
    )
    serve_resume: bool = setting(
        default=True, description="Take up at the start what a service before left unfinished."
    )
    serve_grace_s: Wait = setting(
        default=5.0, description="Seconds that requests get to end when the service is stopped."
    )
