"""Lines that templates put round an article, told by their wording in a dozen languages."""

from __future__ import annotations

import re
from functools import lru_cache

from leadline.read.eastern import is_eastern_notice, is_eastern_tail

SENTENCE_END = re.compile(r"[.!?:;。！？…।؟][\"'”’»)\]]*$")
_TAILS = (
    # English
    r"related\b|(also )?read (more|next|also)\b|more (from|stories|on|news|like this|by)\b"
    r"|you (may|might) (also )?(like|enjoy|be interested)|recommended\b"
    r"|also (from|in|on|read)\b|most (read|popular|viewed)|trending\b|share (this|on|via)\b"
    r"|comments?\b(?! on)|\d+\W{1,4}(comments?|responses|thoughts|replies)\b"
    r"|leave a (reply|comment)"
    r"|(post|add|submit|write) (a|your) (comment|answer|reply|review)|your answer$"
    r"|about the authors?\b|subscribe\b|sign up\b|newsletter|advertisement"
    r"|follow us|tags?:|topics?:$|filed under|join the (discussion|conversation)"
    r"|latest (news|stories|posts)|(was|is) this (page |article |post )?(helpful|useful)"
    r"|like this:?$|what to read next|further reading from|editor.s picks|sponsored\b"
    r"|similar (posts|articles|stories)|stay (connected|in touch|informed|up to date)\b"
    r"|(show|view|see|load|hide) (\d+ )?(all )?comments?|have your say|next (story|article|post)\b"
    r"|previous (story|article|post)\b|popular (posts|stories|articles)|featured (posts|stories)"
    r"|(view|see|browse) (more|all) (stories|articles|posts|news)|(from )?around the web"
    r"|from our (partners|sponsors)|paid (content|partner)|promoted (content|stories|by)"
    r"|you (might|may) have missed|meet the authors?$|(contact|email) the author"
    r"|(top (stories|news)|(up|watch|read) next|in other news|explore more|see more|don.t miss"
    r"|keep reading|what do you think|continue reading|more (info|information)?"
    r"|(add|write|post)? ?comment|comentar|commenter|kommentieren|commenta|reageer)\W{0,3}$",
    # German
    r"mehr (zum thema|aus|von|artikel|lesen)\b|das könnte (sie|dich|ihnen|euch) auch"
    r"|lesen sie auch|auch interessant|weitere (artikel|themen|beiträge|nachrichten|meldungen)"
    r"|verwandte\b|ähnliche|kommentare?\b|\d+ kommentare?\b"
    r"|kommentar (schreiben|verfassen|hinterlassen)|artikel teilen"
    r"|schreiben? sie einen kommentar|schlagwor?te|schlagwörter|anzeige$|meistgelesen"
    r"|zum autor$|über (den autor|die autorin)|diesen (artikel|beitrag) teilen"
    r"|das interessiert andere",
    # French, Spanish, Italian, Portuguese
    r"(à )?lire (aussi|également)|les plus lus|sur le même (sujet|thème)|dans la même rubrique"
    r"|articles? (liés|similaires|associés|connexes)|commentaires?\b|\d+ commentaires?\b"
    r"|(laisser|ajouter|poster) un commentaire|mots[- ]clés|partager\b|derniers articles"
    r"|abonnez-vous|à propos de l.auteur|(también )?te puede interesar|lea también|lee también"
    r"|leer más|noticias relacionadas|artículos relacionados|relacionad[oa]s"
    r"|(\d+\W{1,4})?comentarios?\b"
    r"|deja (un|tu) comentario|más (leído|noticias)|compartir\b|etiquetas|sobre el autor"
    r"|leggi anche|articoli correlati|commenti\b|lascia un commento|condividi\b"
    r"|potrebbe interessarti|leia (também|mais)|veja também|comentários?\b"
    r"|deixe (um|o seu) comentário|compartilh",
    # Dutch, Polish, Russian
    r"lees (ook|meer)|reacties\b|gerelateerd|deel dit|czytaj (także|też|również)|komentarze\b"
    r"|zobacz (także|też)|читайте также|комментари[ий]|похожие|поделиться|по теме"
    r"|материалы по теме",
    # Arabic; for Chinese, Japanese and Korean see `eastern.py`
    r"اقرأ أيضا|إقرأ أيضا|مواضيع ذات صلة|التعليقات|شارك",
)
_TAIL = re.compile(r"^\W{0,3}(?:" + "|".join(_TAILS) + ")", re.IGNORECASE)
_NOTICE = re.compile(
    r"^\W{0,3}(?:"
    r"(we|this (site|post|page|article)) (may )?(earn|contains?|uses?) "
    r".{0,40}(commission|affiliate|cookies)"
    r"|(sign up|subscribe|register) (for|to|now|today)\b"
    r"(?=.{0,120}(newsletter|e-?mail|inbox|alerts|briefing|\bour\b|updates))"
    r"|follow (us|me|him|her|@?\w+) on (twitter|facebook|instagram|x\b)|like us on facebook"
    r"|(already|not yet) a (subscriber|member)|article continues (below|after)"
    r"|story continues below|continue reading below|click here to (subscribe|sign up|read)"
    r"|(get|keep) (unlimited|reading) .{0,40}(access|journalism|[£$€]\d)"
    r"|to (continue|keep) reading|(please )?(log ?in|sign ?(in|up)|register|subscribe)\b.{0,40} to"
    r" (continue|keep) reading|©|copyright\W{0,5}\d{4}"
    r"|\(c\) \d{4}|all rights reserved"
    r"|\(?(photo(graph)?|picture)s?( by| credit| courtesy| illustration|:)|(file|ap|stock) photo\b"
    r"|images?( credit| source| copyright| caption|:)|media caption|credits?:|getty images"
    r"|fotos?:|bild(er|quelle|nachweis)?:|crédits? (photo|:)|imagen:|foto de archivo"
    r"|this material may not be|(read|print|save) (or|and) (share|save) th(is|e)\b"
    r"|skip (ad|advertisement)|continue reading the main|scroll (down )?(to|for) (continue|more)"
    r"|\d+[- ]min(ute)?s?( read| de lecture| de lectura| lesezeit)?\W{0,3}$"
    r"|(estimated )?reading time\b.{0,20}$|lesedauer\b.{0,20}$|temps de lecture\b.{0,20}$"
    r"|tiempo de lectura\b.{0,20}$|(listen to|hear) (this|the) (article|story).{0,20}$"
    r"|artikel (anhören|teilen|drucken|merken).{0,20}$|écouter (cet|l.)article.{0,20}$"
    r"|(show|view|see|load|read) (more|less|all|gallery|transcript)\W{0,3}$"
    r"|a post shared by|ein beitrag geteilt von|werbung$|publicidad$|publicité$"
    r"|(advertisement|anzeige|reklama|реклама|pubblicità|publicidade)\W{0,4}$"
    r"|share (this|on)\b.{0,30}$|print (this|article).{0,20}$|e-?mail this.{0,20}$"
    r"|jetzt (abonnieren|anmelden)|please enable javascript|you need to enable javascript"
    r"|loading\W*$|back to top$|skip (to|past).{0,40}$|story continues$"
    r"|this video (can ?not|can.t) be played|to play this video"
    r"|additional reporting by\b|reporting by .{3,140}(;|\bediting by\b)"
    r"|this (article|post) (was )?(originally|first) (published|appeared) (on|in|at|by)\b.{0,80}$"
    r"|read the original (article|story|post)\b|a version of this (article|story) appear"
    r"|puedes seguir a .{2,60} en (facebook|twitter|instagram|x\b)|síguenos en\b"
    r"|suivez-nous sur\b|folgen sie uns\b"
    r")",
    re.IGNORECASE,
)
_SHARES = (
    r"(?:share|tweet|pin it|facebook|twitter|whatsapp|linkedin|reddit|pinterest|telegram|tumblr"
    r"|flipboard|messenger|instagram|copy link|link copied|teilen|partager|compartir|condividi)"
)
_DOES = (
    r"(?:e-?mail|print|save|comments?|drucken|merken|imprimer|imprimir|stampa|via|by|on|this|to"
    r"|article|story|x)"
)
# One of the words has to be on no other button: "Print" and "Save" are in menus that are explained.
_BUTTONS = re.compile(
    rf"[\s,|/·•&+]*(?:{_DOES}\b[\s,|/·•&+]*)*{_SHARES}\b[\s,|/·•&+]*"
    rf"(?:(?:{_SHARES}|{_DOES})\b[\s,|/·•&+]*)*",
    re.IGNORECASE,
)
_LONGEST_BUTTONS = 100
_EARNS = re.compile(
    r"\bwe (?:may|might|could) (?:also )?(?:earn|receive|get|collect)\b.{0,40}\bcommissions?\b",
    re.IGNORECASE,
)
# People get compensation for many things, and an agent a commission; a site says for its links.
_IS_PAID = re.compile(
    r"\b(?:we|(?:if|when) you (?:buy|purchase|click)\b.{0,120})"
    r" (?:(?:may|might|could|can|will) )?(?:also )?(?:earn|receive|get|collect)\b.{0,40}"
    r"\b(?:commissions?|compensation)\b",
    re.IGNORECASE,
)
_BY_LINKS = re.compile(
    r"\b(?:links?|affiliates?|retailers?|(?:our|this) (?:web)?site)\b", re.IGNORECASE
)
_COUNT = re.compile(r"\d[\d.,]{0,9} ?[km]? (?:likes?|shares?|views?|comments?)$", re.IGNORECASE)
_SOURCE = re.compile(
    r"\W{0,3}(?:来源|來源|quelle|fuente|fonte|source) ?[:：].{1,40}$", re.IGNORECASE
)
_CREDIT = re.compile(
    r"contributed (?:reporting|to this (?:report|article|story))\b.{0,40}$"
    r"|follow (?:him|her|them|us|me) (?:on|at) (?:twitter|x\b|instagram|facebook|@)",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"comment|kommentar|coment|responses|replies|reply|thoughts|reacties|komentar|коммент|评论|"
    r"コメント|댓글|التعليق",
    re.IGNORECASE,
)
# The first line of a box that asks for an address, for money or for the reader's own story.
_APPEAL = re.compile(
    r"^\W{0,3}(?:"
    r"(sign up|subscribe) (to|for|now|today|here)\b"
    r"(?=.{0,120}(newsletter|e-?mail|inbox|alerts|briefing|\bour\b|weekly|daily))"
    r"|join (our|the) mailing list"
    r"|get .{1,70}\b(in|to) your (inbox|e-?mail)|.{0,60}\bdelivered to your inbox"
    r"|(will|would|can|could) you (please )?support\b|(please )?support (our|us\b|independent)"
    r"|.{0,50}\breaders? (have )?(decided|chosen?) to support|.{0,50}\breader-supported\b"
    r"|have you been affected by|(do you )?(have|got) a (news )?(tip|story)( to share| for us|\?)"
    r"|register (for free )?to (continue|keep)|.{0,40}for free to get updates"
    r"|(subscribe|sign in|log in) to (continue|keep) reading|weiterlesen mit\b"
    r"|la suite (de cet article )?est réservée aux abonnés"
    r"|jetzt (abonnieren|anmelden)|newsletter (abonnieren|bestellen)|abonnieren sie"
    r"|melden sie sich (jetzt |hier )?(für|zu)|abonnez-vous|inscrivez-vous (à|pour)"
    r"|recevez (nos|notre|la|chaque)|suscríbe(te|se)\b|regístra(te|se) (gratis|para)"
    r"|apúntate (a|gratis)|iscriviti (alla|a)\b|assine (já|a nossa|nossa)|подпи(шитесь|сывайтесь)"
    r"|メール(マガジン|でお届け)|订阅(我们|新闻|邮件|电子)|اشترك في (النشرة|نشرت)"
    r")",
    re.IGNORECASE,
)
# The last words of a line that leads to another page; they are a link where they are meant so.
_LEADS_AWAY = re.compile(
    r"\b(?:read more|continue reading|read (the )?full (story|article)|weiterlesen|mehr lesen"
    r"|leer más|lire la suite|leggi tutto|leia mais|читать далее|подробнее)\W{0,4}$",
    re.IGNORECASE,
)
_LOGIN = r"(?:log|sign) ?(?:in|up|on)|register|subscribe|become a (?:member|subscriber)"
_BAR = re.compile(
    rf"\b(?:{_LOGIN})\b.{{0,60}}\bto (?:continue|keep|read|see|view|unlock|access)\b"
    r"|\b(?:um|zum) weiter(?:zu)?lesen\b|pour (?:lire la suite|continuer)"
    r"|para (?:seguir|continuar) (?:leyendo|lendo)|per continuare a leggere"
    r"|登录后|登入後|続きを読むには",
    re.IGNORECASE,
)
_COOKIE = re.compile(r"\bcookies?\b", re.IGNORECASE)
_ABOUT_A_SITE = re.compile(
    r"web ?(site|seite|pages?)|\bsites?\b|\bseiten?\b|browser|navegad|partner|analy[ts]|privacy|"
    r"datenschutz|consent|einverstanden|accept|akzept|privacid|confidentialité|\bsito\b|internetauftr",
    re.IGNORECASE,
)
_LONGEST_NOTICE = 240
_LONGEST_DISCLOSURE = 500
_LONGEST_TEASER = 400
_LONGEST_TITLE = 60
_TITLE_REST = 25  # characters that may follow, such as the name of the section
_TOC = re.compile(
    r"^\W{0,3}(table of contents|contents|on this page|in this (article|guide|post)|jump to|"
    r"inhalt(sverzeichnis)?|auf dieser seite|sommaire|table des matières|índice|contenido|indice|"
    r"inhoud|содержание|目录|目次)\W{0,3}$",
    re.IGNORECASE,
)


def opens_tail(text: str) -> bool:
    """Whether a short line begins as what opens the boxes after an article does."""
    return _TAIL.match(text) is not None or is_eastern_tail(text)


def is_talk(text: str) -> bool:
    """Whether a line opens what readers said."""
    return _TALK.search(text) is not None


def is_toc(text: str) -> bool:
    """Whether a line opens a list of the parts of its own page."""
    return _TOC.match(text) is not None


@lru_cache(maxsize=1024)  # one line opens many elements, each inside the other
def is_box_title(text: str) -> bool:
    """Whether a line is all that a box such as "Related stories" would be headed by."""
    if len(text) > _LONGEST_TITLE:
        return False
    found = _TAIL.match(text)
    if found is None:
        return is_eastern_tail(text)
    return len(text) - found.end() <= _TITLE_REST


@lru_cache(maxsize=1024)
def is_appeal(text: str) -> bool:
    """Whether a line opens a box that wants something of the reader."""
    return len(text) <= _LONGEST_NOTICE and _APPEAL.match(text) is not None


def bars_the_way(text: str) -> bool:
    """Whether a line tells strangers that they have to log in to read on."""
    return _BAR.search(text) is not None


def leads_away(text: str) -> bool:
    """Whether a short block ends as the teaser of another page does."""
    return len(text) <= _LONGEST_TEASER and _LEADS_AWAY.search(text) is not None


def is_notice(text: str) -> bool:
    """Whether a short block advertises, credits or instructs instead of telling something."""
    if len(text) > _LONGEST_NOTICE:
        return len(text) <= _LONGEST_DISCLOSURE and _discloses(text)
    if _discloses(text) or is_eastern_notice(text):
        return True
    return _NOTICE.match(text) is not None or _CREDIT.search(text) is not None


def _discloses(text: str) -> bool:
    """Whether a site tells that shops pay it for its readers."""
    if "commission" not in text and "compensation" not in text:
        return False  # at once of nearly every block
    if _EARNS.search(text) is not None:
        return True
    return _IS_PAID.search(text) is not None and _BY_LINKS.search(text) is not None


def is_buttons(text: str) -> bool:
    """Whether a line holds nothing but the words on buttons to pass a page on."""
    return len(text) <= _LONGEST_BUTTONS and _BUTTONS.fullmatch(text) is not None


def is_count(text: str) -> bool:
    """Whether a line only counts what readers did, such as "12 likes"."""
    return _COUNT.match(text) is not None


def is_source(text: str) -> bool:
    """Whether a line only names the agency that a text is from."""
    return _SOURCE.match(text) is not None


def is_cookie_notice(text: str) -> bool:
    """Whether a block tells of the cookies of a site."""
    return _COOKIE.search(text) is not None and _ABOUT_A_SITE.search(text) is not None
