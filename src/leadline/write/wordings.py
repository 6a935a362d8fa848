"""The few sentences the extractive reasoner says itself, in the languages it can say them in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Phrases:
    """None of these is a claim: they say what was looked for and what is missing."""

    missing: str  # {what}
    nothing: str
    tried: str  # {queries}
    nearest: str
    fewer: str  # {found} {wanted}
    partly: str  # how earlier reports mark what is now sourced
    judged: str  # after a claim that only a judge has proven
    sourced: str  # after a claim of which nobody judged how its names and figures are related
    disagree: str  # the heading over sources that contradict each other
    newer: str  # after the later of two sources that contradict each other
    unproven: str  # {model} {answer}, which no source bears out


_PHRASES = {
    "en": Phrases(
        "Not found in the sources: {what}",
        "Not found: the sources do not answer this question.",
        "Searched for: {queries}",
        "The nearest that the sources say, without answering the question:",
        "Not found in the sources: more than {found} of the {wanted} items asked for",
        "(partly supported)",
        "(judged)",
        "(sourced)",
        "Sources disagree",
        "(newer)",
        "Not proven: no source that was read bears out what {model} answered: {answer}",
    ),
    "zh": Phrases(
        "资料中未找到：{what}",
        "未找到：资料没有回答这个问题",
        "已搜索：{queries}",
        "资料中最接近的内容（并未回答问题）：",
        "资料中只找到 {found} 项，要求 {wanted} 项",
        "（部分有据）",
        "（经评判）",
        "（仅有出处）",
        "资料互相矛盾",
        "（较新）",
        "未经证实：所读资料均不支持 {model} 的回答：{answer}",
    ),
    "de": Phrases(
        "In den Quellen nicht gefunden: {what}",
        "Nicht gefunden: die Quellen beantworten diese Frage nicht",
        "Gesucht wurde nach: {queries}",
        "Das Nächstliegende in den Quellen, ohne die Frage zu beantworten:",
        "In den Quellen nicht gefunden: mehr als {found} der {wanted} gewünschten Punkte",
        "(teilweise belegt)",
        "(beurteilt)",
        "(nur mit Fundstelle)",
        "Die Quellen widersprechen sich",
        "(neuer)",
        "Nicht belegt: keine gelesene Quelle stützt, was {model} antwortete: {answer}",
    ),
    "fr": Phrases(
        "Introuvable dans les sources : {what}",
        "Introuvable : les sources ne répondent pas à cette question",
        "Recherches faites : {queries}",
        "Ce que les sources disent de plus proche, sans répondre à la question :",
        "Introuvable dans les sources : plus de {found} des {wanted} éléments demandés",
        "(partiellement étayé)",
        "(jugé)",
        "(sourcé)",
        "Les sources se contredisent",
        "(plus récent)",
        "Non étayé : aucune source lue ne confirme la réponse de {model} : {answer}",
    ),
    "es": Phrases(
        "No se encontró en las fuentes: {what}",
        "No se encontró: las fuentes no responden a esta pregunta",
        "Se buscó: {queries}",
        "Lo más cercano que dicen las fuentes, sin responder a la pregunta:",
        "No se encontró en las fuentes: más de {found} de los {wanted} elementos pedidos",
        "(respaldado en parte)",
        "(juzgado)",
        "(con fuente)",
        "Las fuentes se contradicen",
        "(más reciente)",
        "Sin respaldo: ninguna fuente leída confirma lo que respondió {model}: {answer}",
    ),
    "ja": Phrases(
        "資料に見つからなかったもの：{what}",
        "見つかりませんでした：資料はこの質問に答えていません",
        "検索した語：{queries}",
        "資料の中で最も近い内容（質問への答えではありません）：",
        "資料から見つかったのは {wanted} 件中 {found} 件",
        "（一部のみ裏付けあり）",
        "（判定済み）",
        "（出典のみ）",
        "資料の食い違い",
        "（より新しい）",
        "裏付けなし：読んだ資料はいずれも {model} の回答を支持していません：{answer}",
    ),
}


def every() -> tuple[Phrases, ...]:
    """The phrases of all languages, to know them again in a report."""
    return tuple(_PHRASES.values())


def phrases(language: str) -> Phrases:
    """The phrases in `language`, in English where they are not known in it."""
    return _PHRASES.get(language, _PHRASES["en"])
