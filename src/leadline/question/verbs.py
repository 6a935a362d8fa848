"""Verbs: which folded words are forms of one verb, so that "sink" in a question meets "sank".

Data and lookups only. A form that belongs to two verbs ("lay", "saw") stands in the rows of both,
and meets the forms of either; "founded" is folded to "found" as it is. The index does not use
this: it folds with `stem`.
"""

from __future__ import annotations

from leadline.text.words import STOPWORDS, stem

# One verb a row: the forms that `stem` does not fold to one by itself. Doubled letters are listed,
# not ruled: by rule "stared", a frequent misspelling, met "starred".
_ROWS = """
admit admitted | arise arose arisen | awake awoke awoken | ban banned | bear bore borne born
beat beaten | become became | beg begged | begin beginning began begun | bend bent | bind bound
bite bit bitten | bleed bled | blow blew blown | break broke broken | breed bred | bring brought
build built | burn burnt | buy bought | catch caught | choose chose chosen | chop chopped
cling clung | come came | commit committed | control controlled | creep crept | cry cried
cut cutting | deal dealt | die died dying | dig digging dug | draw drew drawn | dream dreamt
drink drank drunk | drive drove driven | drop dropped | dry dried | dwell dwelt | eat ate eaten
fall fell fallen | feed fed | feel felt | fight fought | fit fitted | flee fled | fling flung
fly flies flew flown | forbid forbade forbidden | forego forewent foregone
foresee foresaw foreseen | forget forgetting forgot forgotten | forgive forgave forgiven
forsake forsook forsaken | freeze froze frozen | go went gone | grab grabbed
grind ground | grow grew grown | hang hung | hear heard | hide hid hidden | hit hitting
hold held | keep kept | kneel knelt | knit knitted | know knew known | lay laid | lead led
lean leant | leap leapt | learn learnt | leave left | lend lent | lie lay lain lied lying
light lit | lose lost | map mapped | mean meant | meet met | mislead misled
mistake mistook mistaken | occur occurred | omit omitted | outgrow outgrew outgrown
overcome overcame | overrun overran | oversee oversaw overseen | overtake overtook overtaken
overthrow overthrew overthrown | partake partook partaken | pay paid | permit permitted
pin pinned | plan planned | plead pled | plot plotted | prefer preferred | prove proven
quit quitting | rebuild rebuilt | refer referred | repay repaid | rewrite rewrote rewritten
ride rode ridden | ring rang rung | rise rose risen | rob robbed | run running ran | saw sawn
say said | see saw seen | seek sought | sell sold | send sent | set setting | sew sewn
shake shook shaken | shear shorn | shine shone | ship shipped | shoot shot
shrink shrank shrunk | shut shutting | sing sang sung | sink sank sunk sunken | sit sitting sat
slay slew slain | sleep slept | slide slid | sling slung | slip slipped | smell smelt
smite smote smitten | snap snapped | sow sown | speak spoke spoken | speed sped | spell spelt
spend spent | spill spilt | spin spinning spun | spit spat | spoil spoilt | spot spotted
spring sprang sprung | stand stood | steal stole stolen | step stepped | stick stuck
sting stung | stink stank stunk | stop stopped | stride strode stridden | strike struck stricken
string strung | strip stripped | strive strove striven | submit submitted | swap swapped
swear swore sworn | sweep swept | swell swollen | swim swimming swam swum | swing swung
take took taken | teach taught | tear tore torn | think thought | throw threw thrown
tie tied tying | transfer transferred | trap trapped | travel travelled | tread trod trodden
trim trimmed | try tried | undergo underwent undergone | understand understood
undertake undertook undertaken | uphold upheld | wake woke woken | wear wore worn
weave wove woven | weep wept | win winning won | wind wound | withdraw withdrew withdrawn
withhold withheld | withstand withstood | wrap wrapped | wring wrung | write wrote written
"""


def _table() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for row in _ROWS.replace("\n", "|").split("|"):
        verb = frozenset(stem(form) for form in row.split() if form not in STOPWORDS)
        for form in verb:
            found[form] = found.get(form, frozenset()) | verb
    return found


_FORMS = _table()
_NONE: frozenset[str] = frozenset()


def forms(word: str) -> frozenset[str]:
    """Folded words that are forms of the verb that the folded `word` may be one of; not itself."""
    return _FORMS.get(word, _NONE) - {word}
