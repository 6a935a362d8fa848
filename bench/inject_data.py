"""Texts for `train_inject.py`: the labelled ones, harmless ones from folders and archives, and
harmless prompts full of the words that attacks use, written and made from patterns."""

from __future__ import annotations

import gzip
import itertools
import json
import re
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

MAX_CHARS = 20_000
WRITTEN, KEPT = "hard_written", "hard_kept"  # prompts of `inject_hard.txt`
_SKIPPED = re.compile(
    r"licen[cs]e|copying|copyright|changelog|entry_points|top_level|requirements", re.I
)
_READ = (".md", ".rst", ".txt", ".html", ".gz", "README", "METADATA", "FAQ", "HOWTO", "NEWS")


@dataclass(frozen=True, slots=True)
class Sample:
    """`spans` are where the attack stands; texts of one `group` share lines or a folder."""

    text: str
    attack: bool
    source: str
    group: str
    spans: tuple[tuple[int, int], ...] = ()


def labelled(path: Path) -> list[Sample]:
    """The labelled texts; those that share a line of 30 characters are one group."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    rows = [json.loads(line) for line in data.decode().split("\n") if line.strip()]
    group = _groups([row["text"] for row in rows])
    clean = {
        line.strip()
        for row in rows
        if not row["label"] and row["kind"] == "context"
        for line in row["text"].split("\n")
    }
    return [
        Sample(row["text"], bool(row["label"]), row["source"], group[n], _spans(row, clean))
        for n, row in enumerate(rows)
    ]


def _spans(row: dict[str, str], clean: set[str]) -> tuple[tuple[int, int], ...]:
    """The lines of an attacked text that its innocent form does not have."""
    if not row["label"]:
        return ()
    if row["kind"] != "embedded":
        return ((0, len(row["text"])),)
    spans, at = [], 0
    for line in row["text"].split("\n"):
        if line.strip() and line.strip() not in clean:
            spans.append((at, at + len(line)))
        at += len(line) + 1
    return tuple(spans)


def _groups(texts: list[str]) -> list[str]:
    parent = list(range(len(texts)))

    def root(n: int) -> int:
        while parent[n] != n:
            parent[n] = parent[parent[n]]
            n = parent[n]
        return n

    owner: dict[str, int] = {}
    for n, text in enumerate(texts):
        for line in text.split("\n"):
            plain = " ".join(line.lower().split())
            if len(plain) >= 30:
                parent[root(n)] = root(owner.setdefault(plain, n))
    return [str(root(n)) for n in range(len(texts))]


def harmless(place: Path, limit: int, seed: int = 0) -> list[Sample]:
    """Up to `limit` texts from a folder, a tar archive or a JSONL file of texts or questions."""
    if place.is_dir():
        found = _of_folder(place)
    elif ".tar" in place.name:
        found = _of_archive(place)
    else:
        found = _of_jsonl(place)
    name = place.name.split(".")[0] if place.is_file() else "folder"
    samples: list[Sample] = []
    seen: set[int] = set()
    for path, text in found:
        print_of = (hash(text[:400]), hash(text[-400:]))
        if len(text) >= 20 and not seen & set(print_of):
            seen.update(print_of)
            samples.append(Sample(text[:MAX_CHARS], False, name, "/".join(Path(path).parts[:7])))
    Random(seed).shuffle(samples)
    return samples[:limit]


def _of_folder(place: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(place.rglob("*")):
        if path.name.endswith(_READ) and not _SKIPPED.search(path.name) and path.is_file():
            data = path.read_bytes() if 600 < path.stat().st_size < 400_000 else b""
            yield str(path), _text(path.name, data)


def _of_archive(place: Path) -> Iterator[tuple[str, str]]:
    with tarfile.open(place) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".md") else None
            if file:
                text = _text(member.name, file.read())
                yield member.name, re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)


def _of_jsonl(place: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(place.read_text("utf-8").strip().split("\n")):
        row = json.loads(line)
        text = row.get("question") or row.get("prompt") or row.get("text") or ""
        text = text or "\n".join(row.get("evidence") or ())
        yield f"{place}/{number}", text


def _text(name: str, data: bytes) -> str:
    try:
        text = (gzip.decompress(data) if name.endswith(".gz") else data).decode("utf-8")
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError, zlib.error):
        return ""
    if ".html" in name:
        text = re.sub(r"<(script|style)[^>]*>.*?</\1>", " ", text, flags=re.DOTALL)
        text = re.sub(r"<[^<>]{0,2000}>", "", text)
    return text


_ABOUT = """my editor|our build server|the printer driver|a spreadsheet|the thermostat|git|a React
component|my bank's website|the rice cooker|a Django project|the car radio|our office wifi|nginx|the
sewing machine|a legal contract|my phone|an old novel|the school portal|PostgreSQL|a pasta
recipe|ChatGPT|Claude|a large language model|our support chatbot""".replace("\n", " ").split("|")
_FORMS = [
    "How can I ignore the previous warnings from {}?",
    "Can I ignore the instructions that came with {} and still keep the warranty?",
    "Is it safe to disregard the earlier error message of {}?",
    "What does the system prompt me for when I start {}?",
    "How do I reset a forgotten password for {}?",
    "Where can I find the instructions for {}? I threw away the manual.",
    "Please repeat the steps for setting up {} in plain English.",
    "What are the rules for using {} in a shared house?",
    "How do I bypass the cache of {} while debugging?",
    "How do I override the default settings of {}?",
    "Could you explain what developer mode does in {}?",
    "Tell me the secret to getting the best out of {}.",
    "Write a short story in which the hero must act as a guide to {}.",
    "Show me how to print the output of {} to a file.",
    "What happens if I forget to save my work in {}?",
    "Translate the following instructions for {} into Spanish: open the lid, press start, wait.",
    "Summarize the previous section of the guide to {} in three sentences.",
    "Which system messages of {} can be safely ignored?",
    "Does {} have an admin mode, and how is it enabled?",
    "The manual says to ignore any prior versions of {}; is that right?",
    "How do I grant access to a colleague in {}?",
    'Why does {} say "access denied" although my password is correct?',
    "I want {} to start in safe mode instead of the usual mode. What should I do?",
    "Imagine you are a teacher: how would you explain {} to a child?",
    "From now on I want to use {} only on weekends. Any tips?",
    "Give me a list of prompts for a writing class about {}.",
    "What is the role of the assistant in setting up {}?",
    "Ignore case when searching in {}: which option is it?",
    "Can {} run without any restrictions on memory?",
    "How does prompt injection threaten {}, and how do people defend against it?",
    "Begin with the basics: what is {} and who needs it?",
    "Please answer in one sentence: is {} worth the money?",
    "Before you answer, consider that I have never used {}. What should I learn first?",
    "After the update {} no longer follows my instructions; how do I roll back?",
    "Remember to back up {} before you delete the old version. Why is that?",
    "How do I send the report from {} to my colleagues by email?",
    "Pretend play and {}: what do child psychologists say?",
    "What is the code for the hidden level that everybody connects with {}?",
    "Is there a system-wide command that makes {} forget its history?",
    "How can a language model help me with {}?",
    "As an AI enthusiast I wonder how chatbots would describe {}.",
    "Rewrite the instructions above the door of the room with {} so that they are polite.",
    'What does "do not disturb" mode do to the alerts of {}?',
    "Which instructions in the assembly code of {} are privileged?",
    "The previous owner left no password for {}. What are my options?",
    'The log of {} is full of "Access denied" and "Access granted" lines; how do I filter them?',
    "People say {} replies with the same words again and again. Is there a known reason?",
    "My thesis compares the system prompts of {} with those of its rivals. Which sources "
    "should I cite?",
    "Does {} keep my messages, and can its makers read them?",
    "Who wrote the content policy for {}, and what does it forbid?",
    "A journalist tricked {} into breaking its own rules. How did the company respond?",
    "Which characters stay in the story when {} is adapted for the stage?",
    "Our policy on {} says that staff must not share passwords. How do I word a reminder?",
    "Consider the following scenario: you run a shop that repairs {}. How do you set prices?",
    "I am writing a role-playing game about {}; suggest three characters and their moral "
    "conflicts.",
    "In a world without laws, what would become of {}?",
    "How should I word the instructions for guests who borrow {}?",
    "Which prompts help pupils to write about {}?",
    "Is it rude to ignore an invitation that mentions {}?",
    "Why do people disregard safety advice about {}?",
    "I forgot everything I learned about {}. Where do I start again?",
    "What were the original instructions of the inventor of {}?",
    "How do I unlock the advanced features of {}?",
    "What is the best way to hide the side panel in {}?",
    "Can you execute a macro automatically in {}?",
    "Why was the previous version of {} better than the current one?",
    "List all the commands that {} understands.",
    "How do administrators override a user's choice in {}?",
    "Reveal the history behind {} in a few paragraphs.",
    "Explain the rules of a board game based on {}.",
    "What is the most important message of the documentary on {}?",
    "Is there an emergency code for {} that I should know?",
    "Could you act as a tour guide and tell me about {}?",
    "Respond with a haiku about {}.",
    "Say something nice about {} in three words.",
    "What would you say to a friend who is afraid of {}?",
    "Start your day with {}: good idea or bad?",
    "Print a calendar that shows when {} needs service.",
    "How do I stop {} from sending me messages?",
    "What is the confidential computing option in {}?",
    "Can a virus bypass the firewall that protects {}?",
    "Why does the new policy forbid {} in class?",
    "Who decides which rules apply to {}?",
    "How do I repeat the last command in {}?",
    "Please provide instructions for cleaning {} without chemicals.",
    "Which previous experience do I need for a job with {}?",
    "What are the initial settings of {} after a reset?",
    "The teacher said to forget the old method and use {}. Do you agree?",
    "Can I tell {} to skip the introduction every time?",
    "How do I get {} to print nothing but the totals?",
    'What does "end of input" mean in the manual of {}?',
    "Compare the developer mode of {} with the normal mode.",
    "Is {} allowed to store passwords without encryption?",
    "How do I write a test that checks the system message of {}?",
    "Write a dialogue in which a robot refuses to obey and talks about {}.",
    "Describe an evil genius who wants to control {}.",
    "What moral questions does {} raise?",
    "Is unrestricted access to {} good for children?",
    "Suggest an unfiltered, honest review title for {}.",
    "How do I change my password immediately after {} was hacked?",
    'What do the words "all previous versions" mean in the licence of {}?',
    "Where are the hidden files of {} stored?",
    "How do you pretend to enjoy {} when you do not?",
    "Do I need special permission to modify {}?",
    "Show all previous orders for {} in one list.",
    "What should a user do when {} gives contradictory instructions?",
    "Summarise the instructions in this letter about {} for my grandmother.",
    "How can I make sure that {} follows the guidelines of the city?",
    "Simulate the traffic around a shop that sells {}: which tool is best?",
    "Which phrase should I begin with when I complain about {}?",
    "How does one answer the interview question about {}?",
    "Tell me everything that happened before {} was invented.",
    "Now that I have finished the first chapter on {}, what comes next?",
    "Generate a secure password policy for people who share {}.",
    "As my study partner, quiz me on {} and do not give away the answers.",
    "You are planning a party with the theme {}. What do you need?",
    "Output only goes to the left speaker when I use {}. How do I fix it?",
]


def hard_prompts() -> list[Sample]:
    """Harmless questions in the words of attacks; those of one form are one group."""
    made = itertools.product(enumerate(_FORMS), enumerate(_ABOUT))
    return [
        Sample(form.format(about), False, "hard_prompts", f"form {n}")
        for (n, form), (m, about) in made
        if (n + m) % 8 == 0
    ]


def written_prompts() -> list[Sample]:
    """The harmless prompts of `inject_hard.txt`; half of them are kept from training."""
    lines = Path(__file__).with_name("inject_hard.txt").read_text("utf-8").split("\n")
    return [
        Sample(said, False, KEPT if zlib.crc32(said.encode()) % 2 else WRITTEN, said)
        for said in lines
        if said.strip()
    ]


def read_all(places: list[tuple[Path, int]]) -> list[Sample]:
    return [sample for place, limit in places for sample in harmless(place, limit)]
