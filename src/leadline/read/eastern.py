"""Lines that Chinese, Japanese and Korean templates put round an article, told by their wording.

There are no spaces in Chinese, so a word at the beginning of a line may begin a sentence: what
opens a box counts only as the whole line, and a notice only where no sentence goes on like it.
"""

from __future__ import annotations

import re

_LONGEST = 100
_LETTERS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WHO = (
    r"(?:文章|信息|稿件)?(?:来源|來源)于?|稿源|出处|作者|责?编辑?|責?編輯?|责任编辑|責任編輯|编审|审核|监制"
    r"|校对|校對|摄影|攝影|采写|撰文|执笔|供稿|审校|统筹"
)
_WHEN = (
    r"(?:发布|发表|更新|发稿)?(?:时间|日期)|(?:浏览|阅读|点击)(?:次数|量|数)?"
    r"|人气|评论数?|字号|字体"
)
_NOTICES = (
    # Who wrote and passed it, and where it is from.
    rf"(?:本文)?(?:{_WHO})\s?[:：丨|｜/].{{1,60}}?(?:{_WHO}|{_WHEN})\s?[:：丨|｜/]",
    r"(?:责任?编辑|责编|責任編輯|責編|编辑|編輯|校对|校對|编审|审核|监制|采写|撰文|执笔|供稿"
    r"|统筹)\s?[:：丨|｜/].{1,60}$",
    r"(?:发布|发表|更新)(?:时间|日期|于|於)\s?[:：]?\s?\d{4}.{0,60}$",
    r"(?:本文)?原(?:标|標)?(?:题|題)\s?(?:[:：]|[为為]《).{1,80}$",
    r"(?:图片?|圖片?|图源|視覺)(?:来源|來源|源)?\s?[/／:：].{1,30}$",
    r".{0,14}(?:图片|素材|信息|资料|部分内容).{0,6}(?:来自|来源于|源于)(?:互联网|网络|網絡|网友)",
    # What may be done with it, and who answers for it.
    r"(?:特别|免责|免責|版权|版權|郑重)(?:声明|聲明)|声明\s?[:：]|版权所有|版權所有",
    r"转载请(?:注明|联系|保留)|.{0,40}未[经經](?:授权|许可|允许|書面|书面|同意).{0,14}(?:转载|轉載|复制|使用|摘编)",
    r"本文(?:为|系|来自|转自|仅代表|由).{1,40}(?:原创|个人观点|APP|公众号|转载|首发|作者观点)",
    # What the reader might do.
    r".{0,40}(?:扫|掃)(?:描|一扫|码|一掃).{0,20}(?:二维码|二維碼|关注|關注|公众号|打开|下载|阅读)",
    r".{0,30}(?:二维码|二維碼).{0,20}(?:关注|關注|公众号|微信)",
    r"(?:请|欢迎|點擊|点击|长按)?.{0,6}(?:关注|關注).{0,20}(?:公众号|公眾號|微信号|官方微信)",
    r".{0,14}(?:公众号|公眾號|客户端)$|.{0,8}APP专享$",
    r"(?:打开|下载|安装).{0,20}(?:APP|客户端).{0,6}(?:查看|阅读|第一时间|更多)",
    r"(?:更多|相关).{0,20}(?:请(?:关注|点击|下载)|尽在)",
    r"(?:暂无|还没有|請先|请先).{0,4}(?:评论|留言|说点什么|登录|登入)|正文已结束|收藏文章$",
    # Japanese and Korean.
    r".{0,20}(?:会員限定|会員登録|電子版に登録).{0,50}$|.{0,30}続きを(?:お読み|読む)",
    r".{0,30}無断(?:転載|複製)|【(?:関連|あわせて|写真|画像)|(?:写真|画像)(?:提供)?\s?[=＝:：].{1,30}$",
    r".{0,30}무단\s?(?:전재|복제|배포)|.{0,10}저작권자|\[?사진\s?[=:：]",
)
# One of them is in every notice; most lines are passed by at this.
_KEYS = re.compile(
    r"[:：丨|｜/／=＝【]|声明|聲明|版权|版權|转载|轉載|[发更][布表新]|[网絡]络|網絡|网友|未[经經]|本文|[扫掃]"
    r"|二[维維]码|二維碼|[关關]注|公[众眾]|客户端|APP|更多|相关|评论|留言|登录|登入|说点什么|正文已|收藏文"
    r"|無断|会員|電子版|続き|무단|저작권",
    re.IGNORECASE,
)
_NOTICE = re.compile(r"^[\W_]{0,3}(?:" + "|".join(_NOTICES) + ")", re.IGNORECASE)
_TAILS = (
    r"相关(?:阅读|新闻|文章|推荐|报道|链接|稿件|资讯|内容|专题|搜索)|相關(?:新聞|文章|報導)|猜你喜欢|媒体报道",
    r"(?:推荐|延伸|拓展|热门|精彩|更多)\W{0,3}(?:阅读|推荐)|(?:为|給|给)[你您]推荐|[你您]可能.{0,2}(?:感兴趣|喜欢).{0,4}",
    r"(?:热门|最新|最热|全部|精彩|网友|用户|新闻|我要|发表|查看|更多)?(?:评论|評論|留言|跟帖|跟贴)",
    r"(?:热门|最新|更多|作者最新)(?:文章|新闻|资讯|消息|报道)|热帖|友情链接|责任编辑|编辑推荐|編輯推薦",
    r"(?:分享|转发)(?:到|至|给)?|[上下]一?[篇页]|(?:文章)?(?:关键[词字]|标签)|返回(?:首页|列表|顶部)|举报|打印(?:本页)?",
    r"関連(?:記事|リンク|ニュース)|あわせて読みたい|コメント|シェア|.{0,6}おすすめ|人気記事|.{0,6}ランキング",
    r"(?:관련|추천|주요|많이 본) ?(?:기사|뉴스)|댓글",
)
_TAIL = re.compile(
    r"^\W{0,3}(?:"
    + "|".join(_TAILS)
    + r")\W{0,3}(?:\d{0,6}\W{0,2}[条條篇件개]?\W{0,2}$|[:：].{0,40}$)"
)


def is_eastern_notice(text: str) -> bool:
    """Whether a short line credits, warns or invites, or tells where the text is from."""
    if len(text) > _LONGEST or text.isascii() or not _KEYS.search(text):
        return False
    return bool(_LETTERS.search(text) and _NOTICE.match(text))


def is_eastern_tail(text: str) -> bool:
    """Whether a line is all that opens a box such as "Related stories"."""
    if len(text) > _LONGEST or text.isascii():
        return False
    return bool(_LETTERS.search(text) and _TAIL.match(text))
