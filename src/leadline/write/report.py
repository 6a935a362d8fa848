"""What a model wrote, as a draft: its Markdown tidied, and whom it cites."""

from __future__ import annotations

import re
from collections.abc import Sequence

from leadline.text.sentences import sentences
from leadline.types import Citation, Completion, Draft, Passage, Plan, State, TaskType

_IDS = re.compile(r"\[(\d{1,4})\]")
_LISTED = re.compile(r"\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})+)\]")
_FENCE = re.compile(r"^\s*```(?:markdown|md)?\s*\n(.*)\n```\s*$", re.DOTALL | re.IGNORECASE)
_SOURCES = re.compile(
    r"^(?:#{1,6}\s*|\*\*)?(?:references|sources|bibliography|works cited|quellen|literatur|"
    r"bibliographie|fuentes|参考文献|来源|参考资料)\s*:?\s*(?:\*\*)?\s*$",
    re.IGNORECASE,
)
_MARK = re.compile(r"<<<(?:end )?[a-p]{12}[^>\n]{0,40}>{0,3}")  # our own fences, copied
_LINK = re.compile(r"\[([^\]\n]{1,200})\]\(https?://[^)\s]{1,2000}\)")
_ADDRESS = re.compile(r"<?https?://[^\s)>\]]{1,2000}>?")
_FORMS = {
    TaskType.COMPARISON: "Compare point by point; say for each side what its source says.",
    TaskType.BEST_PRACTICES: "Give each practice as one bullet point with the reason for it.",
    TaskType.FACTUAL: "Keep it short: the fact, and what a reader needs to trust it.",
}


def form_of(plan: Plan) -> str:
    """What the report should look like, as a sentence for the prompt."""
    if plan.wanted_items:
        return f"Give exactly {plan.wanted_items} items, numbered, each with its source."
    return _FORMS.get(plan.task_type, "Answer every part of the question, in its order.")


def as_draft(said: Completion, state: State, passages: Sequence[Passage]) -> Draft:
    """The draft of an answer: without a list of sources of its own, without any address."""
    answer = tidy(said.text, cut=said.cut)
    cited = {int(number) for number in _IDS.findall(answer)}
    known = {passage.source for passage in passages}
    citations = tuple(
        Citation(source.id, source.title, source.kind, source.url)
        for source in state.sources
        if source.id in cited & known
    )
    tokens = said.prompt_tokens + said.completion_tokens
    # Whether it found anything is for verification to say: a claim may be proven without its id.
    return Draft(answer, citations, said.model, tokens)


def tidy(text: str, *, cut: bool = False) -> str:
    """Markdown as it should have been written."""
    text = _MARK.sub("", text)
    fenced = _FENCE.match(text.strip())
    text = (fenced.group(1) if fenced else text).replace("\r\n", "\n").strip()
    lines = text.split("\n")
    own_list = next((at for at, line in enumerate(lines) if at and _SOURCES.match(line)), None)
    if own_list is not None:
        lines, cut = lines[:own_list], False
    if cut and lines:
        lines[-1] = _whole_sentences(lines[-1])
    text = "\n".join(lines).strip()
    text = _LISTED.sub(lambda many: _apart(many.group(1)), text)
    return _ADDRESS.sub("", _LINK.sub(r"\1", text)).strip()


def _whole_sentences(line: str) -> str:
    """A last line that was cut off, without its last sentence."""
    spans = sentences(line)
    return line[: spans[-2].end] if len(spans) > 1 else ""


def _apart(numbers: str) -> str:
    return "".join(f"[{number.strip()}]" for number in re.split(r"[,;]", numbers))
