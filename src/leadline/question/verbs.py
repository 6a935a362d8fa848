"""Verbs: which folded words are forms of one irregular verb, so that "sink" meets "sank".

A form that belongs to two verbs ("saw", "found") meets the forms of either. The index does not use
this: it folds with `stem`.
"""

from __future__ import annotations

from leadline.text.words import STOPWORDS, stem

# One verb between two bars: the forms that `stem` does not fold to one by itself.
_VERBS = """arise arose arisen|bear bore borne born|beat beaten|become became|begin beginning
    began begun|bend bent|bind bound|bite bitten|blow blew blown|break broke broken|bring
    brought|build built|burn burnt|buy bought|catch caught|choose chose chosen|come came|cut
    cutting|deal dealt| die died dying|dig dug|draw drew drawn|dry dried|drink drank
    drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight
    fought|flee fled|fly flies flew flown|forbid forbade forbidden|forget forgot
    forgotten|freeze froze frozen|go went gone|grow grew grown|hang hung| hear heard|hide hid
    hidden|hit hitting|hold held|keep kept|know knew known|lay laid|lead led| learn
    learnt|leave left|lend lent|lie lay lain lying|lose lost|mean meant|meet met|occur
    occurred|overthrow overthrew overthrown|pay paid|plan planned|prove proven|rebuild
    rebuilt| refer referred|ride rode ridden|ring rang rung|rise rose risen|rob robbed|run
    running ran| say said|see saw seen|seek sought|sell sold|send sent|set setting|shake shook
    shaken|shine shone|ship shipped|shoot shot|shrink shrank shrunk|shut shutting|sing sang
    sung|sink sank sunk sunken|sit sat|sleep slept|speak spoke spoken|spend spent|spin
    spun|split splitting|spread spreading|stand stood|steal stole stolen|stick stuck|stop
    stopped|strike struck stricken|swear swore sworn|sweep swept|swim swam swum|swing
    swung|take took taken|teach taught|tear tore torn| think thought|throw threw thrown|tie
    tied tying|transfer transferred|travel travelled|try tried| undergo underwent
    undergone|understand understood|wake woke woken|wear wore worn|weave wove woven|win
    winning won|wind wound|withdraw withdrew withdrawn|write wrote written"""
_ROWS = [frozenset(map(stem, set(row.split()) - STOPWORDS)) for row in _VERBS.split("|")]


def forms(word: str) -> frozenset[str]:
    """Folded words that are forms of the verb that the folded `word` may be one of; not itself."""
    return _FORMS.get(word, _NONE) - {word}


_NONE: frozenset[str] = frozenset()
_FORMS = {
    form: _NONE.union(*(row for row in _ROWS if form in row)) for row in _ROWS for form in row
}
