"""What an index leaves out: secrets unless they are asked for by name, and twins of one page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from leadline.documents import DocIndex, IndexReport
from leadline.documents.files import holds_private_key
from leadline.fakes.embedder import FakeEmbedder

KEY = (
    "-----BEGIN OPENSSH PRIVATE KEY-----\n"
    + "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n" * 4
    + "-----END OPENSSH PRIVATE KEY-----\n"
)
OLD_KEY = KEY.replace("OPENSSH", "RSA").replace(
    "KEY-----\nb3", "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0102\n\nb3", 1
)
SECRETS = [
    "id_rsa",
    ".ssh/id_ed25519",
    "certs/server.pem",
    "store.p12",
    "vault.kdbx",
    "app.keystore",
    ".env",
    ".env.local",
    "prod.env",
    ".netrc",
    ".pgpass",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".aws/credentials",
    "gcloud/application_default_credentials.json",
    ".kube/config",
    ".docker/config.json",
    ".bash_history",
    ".psql_history",
    "terraform.tfstate",
]


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return put(tmp_path / "docs", {"tides.md": "# Tides\n\nThe moon pulls the sea.\n"})


def put(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def indexed(docs: Path) -> tuple[DocIndex, IndexReport]:
    index = DocIndex.open(docs.parent / f"index of {docs.name}", docs, FakeEmbedder())
    return index, index.update()


@pytest.mark.contract("X5")
@pytest.mark.parametrize("name", SECRETS)
def test_a_file_that_keeps_secrets_is_left_out_and_counted(docs: Path, name: str) -> None:
    put(docs, {name: "The password is swordfish."})
    index, report = indexed(docs)
    assert report.files == 1
    assert report.left_out == {"secret": 1}
    assert index.search("swordfish password", 5) == ()
    assert not index.needs_update()


@pytest.mark.contract("X5")
@pytest.mark.parametrize(
    "text",
    [
        KEY,
        OLD_KEY,
        f"Our notes.\n\n{KEY}",
        json.dumps({"type": "service_account", "private_key": KEY.replace("OPENSSH ", "")}),
        KEY.replace("OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"),
    ],
)
def test_a_private_key_is_known_by_its_content(docs: Path, text: str) -> None:
    put(docs, {"harmless.txt": text})
    index, report = indexed(docs)
    assert [(one.what, one.kind) for one in report.skipped] == [("harmless.txt", "secret")]
    assert index.search("b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ", 5) == ()


@pytest.mark.contract("X5")
@pytest.mark.parametrize(
    "text",
    [
        "A key begins with -----BEGIN PRIVATE KEY----- and ends with a line like it.",
        "-----BEGIN CERTIFICATE-----\nMIIB" + "A" * 60,
        KEY.replace("PRIVATE", "PUBLIC"),
    ],
)
def test_the_mention_of_a_key_is_no_key(text: str) -> None:
    assert not holds_private_key(text)


@pytest.mark.contract("X5")
@pytest.mark.parametrize(
    "name", ["environment.md", "credentials.md", "pemmican.txt", "history.md", "secrets.md"]
)
def test_a_page_about_secrets_is_read(docs: Path, name: str) -> None:
    put(docs, {name: "# Where passwords belong\n\nIn a vault.\n"})
    assert indexed(docs)[1].files == 2


@pytest.mark.contract("X5")
@pytest.mark.parametrize("name", [".env", "id_rsa", "certs/server.pem"])
def test_a_secret_asked_for_by_name_is_read(docs: Path, name: str) -> None:
    put(docs, {name: f"The password is swordfish.\n{KEY}"})
    index, report = indexed(docs / name)
    assert (report.files, report.skipped) == (1, ())
    assert index.search("swordfish", 1)[0].url == Path(name).name


@pytest.mark.contract("X2", "X5")
def test_a_link_to_a_secret_inside_the_folder_is_not_followed(docs: Path) -> None:
    put(docs, {".env": "PASSWORD=swordfish"})
    (docs / "notes.txt").symlink_to(docs / ".env")
    index, report = indexed(docs)
    assert report.files == 1
    assert index.search("swordfish", 5) == ()


# ── one file ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.contract("U2", "D1")
def test_a_file_is_searched_as_a_folder_that_holds_it_alone(docs: Path) -> None:
    put(docs, {"ropes.md": "# Ropes\n\nA leadline is a rope.\n"})
    index, report = indexed(docs / "ropes.md")
    assert (report.files, report.added) == (1, 1)
    assert [hit.ref for hit in index.search("rope moon", 5)] == ["ropes.md#0"]
    assert not index.needs_update()
    (docs / "ropes.md").write_text("# Ropes\n\nNow of hemp.\n")
    assert index.update().changed == 1
    assert index.search("hemp", 1)


@pytest.mark.contract("U2")
def test_a_file_named_by_a_link_is_read(docs: Path, tmp_path: Path) -> None:
    (tmp_path / "link.md").symlink_to(docs / "tides.md")
    index, report = indexed(tmp_path / "link.md")
    assert report.files == 1
    assert index.search("moon", 1)[0].url == "tides.md"


# ── twins ───────────────────────────────────────────────────────────────────────────────────


def test_the_sources_that_stand_beside_rendered_pages_are_passed_by(docs: Path) -> None:
    html = "<html><body><main><h1>Ropes</h1><p>A leadline is a rope.</p></main></body></html>"
    put(docs, {"a/ropes.html": html, "_sources/a/ropes.rst.txt": "A leadline is a rope."})
    index, report = indexed(docs)
    assert (report.files, report.skipped) == (2, ())
    assert [hit.url for hit in index.search("leadline rope", 3)] == ["a/ropes.html"]


def test_a_page_under_two_names_is_shown_once_and_outlives_the_first(docs: Path) -> None:
    text = "# Ropes\n\n" + "".join(f"Rope {n} holds a ship in weather {n}. " for n in range(300))
    put(docs, {"a.md": text, "b.md": text, "c.md": "# Rope\n"})
    index, _ = indexed(docs)
    urls = {hit.url for n in range(0, 300, 7) for hit in index.search(f"weather {n} ropes", 9)}
    assert urls == {"a.md", "c.md"}
    (docs / "a.md").unlink()
    index.update()
    assert index.search("weather 7 ropes", 1)[0].url == "b.md"


def test_pages_that_differ_in_a_number_are_two(docs: Path) -> None:
    put(docs, {"a.md": "The limit is 1.5 euros.", "b.md": "The limit is 15 euros."})
    index, _ = indexed(docs)
    assert {hit.url for hit in index.search("limit euros", 5)} == {"a.md", "b.md"}
