"""The answer first, in one short call: what a model is shown, how it is asked, what is taken of it.

It sees a few paragraphs, each source once as `[n] title` and text, then the question, then what it
is to do. A small model is not asked for ids, which it puts anywhere: the check finds them. A broad
task gets its sections in a second call. A reply that copies its sources or goes round in circles is
asked for once more in the short form, and is no answer then.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from leadline.check.claims import is_note
from leadline.errors import ReasonerFailed
from leadline.ports import Embedder, PassageReader
from leadline.question.analyse import Expects, Question, analyse
from leadline.rank.answering import Ranker, whole
from leadline.rank.paragraphs import Paragraph, paragraphs
from leadline.text.quotes import locate
from leadline.text.words import content_words
from leadline.types import Completion, Draft, Made, Passage, Plan, State, Stop, TaskType, Tier
from leadline.write.ask_model import Tally, task_section
from leadline.write.prompt_fit import Section, numbered, section
from leadline.write.quoting import as_heading
from leadline.write.report import citations, tidy

FACT_TOKENS, ANSWER_TOKENS, ITEM_TOKENS, SECTIONS_TOKENS = 120, 250, 60, 1200
FEW, MANY = 8, 32  # paragraphs that a model is shown, for a fact and for more
ANSWER_WINDOW, SECTIONS_WINDOW = 2200, 9000  # tokens of a call with its answer
GRAM = 30  # words in a row that no answer says twice
COPIED = 30  # such runs, one word on from another, in a source: sixty words that are copied
TOLD = 0.9  # share of a lead's words that a source must have to say it
_NOTHING = re.compile(r"\W*not found\b.{0,20}", re.IGNORECASE | re.DOTALL)
_RESTS = re.compile(r'\[(\d{1,4})\s*:\s*["“]([^"”\]\n]{1,400})["”]\]')
_SHORT = "in one short sentence of your own"
_FORMS = {
    TaskType.COMPARISON: "Compare point by point, in a table or a list, each side by its passage.",
    TaskType.BEST_PRACTICES: "Give each practice as one bullet point with the reason for it.",
}
_EARLY = {
    Stop.MAX_TIME: "Time ran out before the search was done.",
    Stop.TOKEN_BUDGET: "The budget of tokens ran out before the search was done.",
    Stop.MAX_COST: "The money ran out before the search was done.",
    Stop.DEGRADED: "Most searches failed: what was found is partial.",
}


@dataclass(frozen=True)
class Written:
    """What a model wrote: the answer, "" where it found none, and the sections of a broad task."""

    answer: str
    sections: str
    model: str


@dataclass(frozen=True)
class Writer:
    """Writes the answer to one question, from this `share` of what a model may be shown. `able`
    ones get more to read, and sections to write."""

    state: State
    passages: Sequence[Passage]
    embedder: Embedder
    reader: PassageReader | None
    able: bool
    share: float = 1.0

    async def write(self, model: Tally) -> Written:
        """The model's answer. Raises `ReasonerFailed` where it gives none that is of use."""
        plan = self.state.plan
        most = MANY if self.able and plan.task_type is not TaskType.FACTUAL else FEW
        shown = sources_shown(self.state, self.passages, self.embedder, self.reader, most)
        window = SECTIONS_WINDOW if most == MANY else ANSWER_WINDOW
        leads = section("leads", *open_leads(self.state, shown), share=0.5, empty="")
        prompt = "write" if self.able else "write_short"
        done = await self._ask(model, prompt, shown, leads, *_form(plan), window)
        if is_copy(done.text, shown):
            shown = shown if self.able else shown[: FEW // 2]
            size = (FACT_TOKENS, window)
            done = await self._ask(model, "write_short", shown, leads, _SHORT, *size)
            if is_copy(done.text, shown):
                raise ReasonerFailed(f"{model.name} only copied its sources or repeated itself")
        if _NOTHING.fullmatch(done.text):
            return Written("", "", done.model)
        told = ids_that_hold(done.text, self.passages)
        answer = _as_claim(tidy(told, cut=done.cut))
        broad = is_broad(plan, analyse(self.state.task), able=self.able)
        more = await self._sections(model, shown, answer) if broad else ""
        return Written(answer, more, done.model)

    async def _sections(self, model: Tally, shown: Sequence[str], answer: str) -> str:
        """What a reader of a broad task needs beyond the answer; "" where the model has nothing."""
        stands = section("answer", answer, outside=False)
        form = _FORMS.get(self.state.plan.task_type, "Take the parts of the question in turn.")
        size = (SECTIONS_TOKENS, SECTIONS_WINDOW)
        try:
            done = await self._ask(model, "sections", shown, stands, form, *size)
        except ReasonerFailed:
            return ""
        useless = is_copy(done.text, shown, quoting=True) or _NOTHING.fullmatch(done.text)
        told = ids_that_hold(done.text, self.passages)
        return "" if useless else tidy(told, cut=done.cut)

    async def _ask(
        self,
        model: Tally,
        prompt: str,
        shown: Sequence[str],
        beside: Section,
        form: str,
        max_tokens: int,
        window: int,
    ) -> Completion:
        limits = section("limits", *_limits(self.state), share=0.5, empty="")
        best = Section("passages", tuple(shown), 6.0, edges=True)
        return await model.text(
            prompt,
            [best, beside, limits, task_section(self.state.task)],
            self.state.task,
            max_tokens=max_tokens,
            most=int(_affordable(self.state, window) * self.share),
            given={"form": form},
            temperature=model.ways.temperature(model.role, 0.2),
            last=True,
        )


def is_broad(plan: Plan, question: Question, *, able: bool) -> bool:
    """Whether more is wanted than an answer of a few sentences."""
    if plan.wanted_items or plan.task_type is TaskType.FACTUAL:
        return False
    if question.compared and question.expects is not Expects.CONTRAST:
        return False  # which of two it is: a fact
    parts = [part for part in question.parts if not part.inner]
    many = able and (len(parts) > 1 or plan.tier is Tier.DEEP)
    return plan.task_type in _FORMS or many


def _form(plan: Plan) -> tuple[str, int]:
    """How long the answer is to be, and the tokens for it."""
    if plan.wanted_items:
        form = f"with exactly {plan.wanted_items} numbered items, one sentence each"
        return form, min(ITEM_TOKENS * plan.wanted_items, SECTIONS_TOKENS)
    if plan.task_type is TaskType.FACTUAL:
        return "in one sentence", FACT_TOKENS
    return "in one to three sentences", ANSWER_TOKENS


def _affordable(state: State, window: int) -> int:
    """`window`, or what is left of the budget of tokens."""
    budget = state.limits.token_budget
    spent = state.usage.prompt_tokens + state.usage.completion_tokens
    return min(window, max(1, budget - spent)) if budget else window


# ── what is shown ───────────────────────────────────────────────────────────────────────────


def sources_shown(
    state: State,
    passages: Sequence[Passage],
    embedder: Embedder,
    reader: PassageReader | None,
    most: int,
) -> list[str]:
    """The best paragraphs and the best of each source in turn, by source, best source first."""
    question = analyse(state.task)
    titles = {source.id: source.title for source in state.sources}
    found = paragraphs(passages)
    scores = [passages[one.passage].score for one in found]
    reader = reader if question.language == "en" else None
    ranker = Ranker(found, scores, titles, embedder, reader)
    ranked = [one.paragraph for one in ranker.ranking(whole(question)).best]
    best_of: dict[int, Paragraph] = {}
    for one in (*ranked, *found):
        best_of.setdefault(one.source, one)
    sources = dict.fromkeys(passage.source for passage in passages)
    each = [best_of[number] for number in sources if number in best_of]
    turns = [one for pair in zip_longest(ranked, each) for one in pair if one]
    chosen: dict[int, list[Paragraph]] = {}
    for one in list(dict.fromkeys(turns))[:most]:
        chosen.setdefault(one.source, []).append(one)
    return [
        numbered(number, titles.get(number, ""), _joined(some, titles.get(number, "")))
        for number, some in chosen.items()
    ]


def _joined(some: Sequence[Paragraph], title: str) -> str:
    """The paragraphs of a source in reading order, each heading once."""
    lines: list[str] = []
    above = title
    for one in sorted(some, key=lambda one: (one.passage, one.start)):
        heading = one.headings[-1] if one.headings else above
        if heading != above:
            lines.append(heading)
            above = heading
        lines.append(one.text.strip())
    return "\n".join(lines)


def open_leads(state: State, shown: Sequence[str]) -> list[str]:
    """The known facts that no text shown says: those have a number to be cited by."""
    bags = [set(content_words(text)) for text in shown]
    facts = [(fact, set(content_words(fact))) for fact in state.known_facts]
    return [
        fact
        for fact, words in facts
        if not any(len(words & bag) >= TOLD * len(words) for bag in bags)
    ]


def _limits(state: State) -> list[str]:
    told = [_EARLY[state.stop_reason]] if state.stop_reason in _EARLY else []
    if state.degraded and state.stop_reason is not Stop.DEGRADED:
        told.append(_EARLY[Stop.DEGRADED])
    return told


# ── what is taken ───────────────────────────────────────────────────────────────────────────


def is_copy(text: str, shown: Sequence[str], *, quoting: bool = False) -> bool:
    """Whether a reply has the blocks of its sources in it, says thirty words twice, or, unless
    `quoting` is wanted, has copied sixty in a row."""
    heads = {_bare(block.partition("\n")[0]) for block in shown}
    if not re.search(r"[^\W\d]|\d(?!\d*\])", text):
        return True  # ids alone
    if "<<<" in text or any(_bare(line) in heads for line in text.splitlines()):
        return True
    grams = _grams(text)
    if len(set(grams)) < len(grams):
        return True
    theirs = {gram for block in shown for gram in _grams(block)}
    run = longest = 0
    for gram in grams:
        run = run + 1 if gram in theirs else 0
        longest = max(longest, run)
    return not quoting and longest > COPIED


def ids_that_hold(text: str, passages: Sequence[Passage]) -> str:
    """`text` with ids alone where ids have words beside them; one whose words do not stand in its
    passage is taken out."""

    def checked(mark: re.Match[str]) -> str:
        own = (one.text for one in passages if one.source == int(mark[1]))
        return f"[{mark[1]}]" if any(locate(mark[2], text) for text in own) else ""

    return _RESTS.sub(checked, text)


def _bare(line: str) -> str:
    return " ".join(re.sub(r"[*#`]", "", line).split()).casefold()


def _grams(text: str) -> list[tuple[str, ...]]:
    words = re.findall(r"\w+", text.casefold())
    return [tuple(words[at : at + GRAM]) for at in range(len(words) - GRAM + 1)]


def _as_claim(answer: str) -> str:
    """A bare name or number as a sentence, so that it is checked like one."""
    return answer if re.search(r"[.!?…。\]|]\W*$", answer) else f"{answer}."


def as_draft(
    said: Written, quoted: Draft, state: State, passages: Sequence[Passage], made: Made
) -> Draft:
    """The model's answer over the excerpts of the report that is quoted without it."""
    if not said.answer:
        note = f"{said.model} found no answer in what it was shown"
        return Draft(
            quoted.answer,
            quoted.citations,
            quoted.model,
            found=quoted.found,
            made=Made(made.calls, (*made.notes, note)),
            details=quoted.details,
        )
    blocks = [block for block in quoted.answer.split("\n\n") if not is_note(block)]
    excerpts = blocks[1:] if state.plan.wanted_items else _headed(blocks, state)
    text = "\n\n".join(part for part in (said.answer, said.sections, *excerpts) if part)
    known = {passage.source for passage in passages}
    tokens = sum(call.prompt_tokens + call.completion_tokens for call in made.calls)
    cited = citations(text, state, known)
    lead = said.answer
    return Draft(text, cited, said.model, tokens, made=made, details=quoted.details, lead=lead)


def _headed(blocks: Sequence[str], state: State) -> list[str]:
    """The excerpts; what led the quoted report stands under its document, as the others do."""
    first = blocks[0] if blocks else ""
    ids = set(re.findall(r"\[(\d{1,4})\]", first))
    titles = [source.title for source in state.sources if {str(source.id)} == ids]
    if not titles or first.startswith("#"):
        return list(blocks)
    return [f"### {as_heading(titles[0])}", *blocks]
