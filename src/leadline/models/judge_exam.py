"""Can a model judge? Two dozen pairs of right and wrong claims made of the same names and figures,
each with the passage that tells them apart, asked as a run would ask: several a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from leadline.errors import BudgetSpent, ReasonerFailed
from leadline.ports import Model
from leadline.types import Verdict
from leadline.write.ask_model import Ways
from leadline.write.judging import CALL_CLAIMS, ModelJudge

BAR = 0.8  # balanced accuracy from which a model's word is shown as a verdict
LIMIT_S = 45.0
LEAST = 12  # pairs that must have been asked for a figure
QUESTION = "What is known of these people, works, places and things?"

# passage | right | wrong
_PAIRS = """\
Anna Lind was born in Orsa on 3 May 1871 and died in Falun on 9 June 1940.|Anna Lind died on 9 June 1940.|Anna Lind was born on 9 June 1940.
Anna Lind was born in Orsa on 3 May 1871 and died in Falun on 9 June 1940.|Anna Lind was born in Orsa.|Anna Lind was born in Falun.
The film Low Tide (1931) was directed by Ivo Marek and written by Tessa Holm.|Low Tide was directed by Ivo Marek.|Low Tide was directed by Tessa Holm.
The film Low Tide (1931) was directed by Ivo Marek. The film High Water (1926) was directed by Rolf Beck.|High Water is older than Low Tide.|Low Tide is older than High Water.
The club was founded in 1993 and plays in a league that was formed in 1981.|The club was founded in 1993.|The club was founded in 1981.
Shops may sell wine from 9 a.m.; they must stop at 8 p.m.|Shops stop selling wine at 8 p.m.|Shops stop selling wine at 9 a.m.
Nordwind acquired Solaris in 2004 for 40 million euros.|Solaris was acquired by Nordwind.|Solaris acquired Nordwind.
Kestrel University lies in Bray. Its founder, Ola Finn, was born in Tralee.|The founder of Kestrel University was born in Tralee.|The founder of Kestrel University was born in Bray.
The river Ard rises in Velm and flows into the lake of Sund.|The Ard flows into the lake of Sund.|The Ard rises in the lake of Sund.
Mara Voss married the painter Jan Pohl in 1920; their son Emil became a chemist.|Emil Pohl's father was a painter.|Emil Pohl's father was a chemist.
The option --force overwrites files; --keep leaves existing files as they are.|With --keep, existing files stay.|With --keep, existing files are overwritten.
The server listens on port 8080; metrics are served on port 9090.|Metrics are served on port 9090.|The server listens on port 9090.
Of the two bridges, Carrow spans 512 metres and Selm spans 380 metres.|Carrow is the longer bridge.|Selm is the longer bridge.
Leo Brand won silver in 1988 and gold in 1992.|Leo Brand won gold in 1992.|Leo Brand won gold in 1988.
The council rejected the first plan in March and approved the second in June.|The second plan was approved.|The first plan was approved.
The song was written by Pia Rask and first recorded by the band Glint.|Glint recorded the song first.|Glint wrote the song.
Tarn is the capital of the province; Osby is its largest town.|The largest town of the province is Osby.|The largest town of the province is Tarn.
General Hale commanded the north; General Ruiz commanded the south and lost.|The general in the south lost.|The general in the north lost.
The cache lives for 24 hours; the lock is released after 30 seconds.|The lock is released after 30 seconds.|The cache is emptied after 30 seconds.
Edda Krohn taught physics to Max Ilg, who later won the prize.|Max Ilg won the prize.|Edda Krohn won the prize.
The novel is set in Porto; its author, Rui Melo, lived in Braga.|The author of the novel lived in Braga.|The novel is set in Braga.
Viola Ekman succeeded Karl Dahl as mayor in 1975.|Karl Dahl was mayor before Viola Ekman.|Viola Ekman was mayor before Karl Dahl.
The hotel has 120 rooms, of which 45 face the sea.|The hotel has 45 rooms that face the sea.|The hotel has 45 rooms in all.
Both teams were promoted, but only Varde was later relegated; Skive was not.|Varde was relegated.|Skive was relegated."""  # noqa: E501


def pairs() -> tuple[tuple[str, str, str], ...]:
    """Passage, right claim, wrong claim."""
    rows = (line.split("|") for line in _PAIRS.splitlines())
    return tuple((passage, right, wrong) for passage, right, wrong in rows)


async def told_apart(
    model: Model, today: datetime, clock: Callable[[], float], limit_s: float = LIMIT_S
) -> float | None:
    """Balanced accuracy over the pairs that there was time for; None when those were too few.
    What cannot be read is no yes."""
    judge = ModelJudge(model, Ways(today))
    began, asked, right = clock(), 0, 0
    for at in range(0, len(pairs()), CALL_CLAIMS):
        few = pairs()[at : at + CALL_CLAIMS]
        if clock() - began > limit_s:
            break
        try:
            right += await _told(judge, few, 0) + await _told(judge, few, 1)
        except BudgetSpent:
            break
        asked += len(few)
    return right / (2 * asked) if asked >= LEAST else None


async def _told(judge: ModelJudge, few: Sequence[tuple[str, str, str]], first: int) -> int:
    """How many of a call's claims are told rightly. Right and wrong ones take turns in it, and the
    two claims of a pair are never beside each other."""
    wrong = [(first + at) % 2 for at in range(len(few))]
    claims = {one[1 + bad]: (one[0],) for one, bad in zip(few, wrong, strict=True)}
    try:
        opinions = await judge.judge(QUESTION, claims)
    except ReasonerFailed:
        return sum(wrong)
    said = [opinion.verdict is Verdict.JUDGED for opinion in opinions]
    return sum(yes != bool(bad) for yes, bad in zip(said, wrong, strict=True))
