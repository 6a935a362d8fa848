"""Lines of Chinese, Japanese and Korean templates are told from sentences that begin alike."""

from __future__ import annotations

import pytest

from growth import LINEAR, growth
from leadline.read.article import read_article
from leadline.read.eastern import is_eastern_notice, is_eastern_tail

URL = "https://site.example/story"
TOLD = (
    "城南的老桥今年冬天要封闭三个月，工人将更换一百二十块被水冲坏的石板。",
    "这座桥建于明代，桥下的船工说，夏天水位高的时候，第三个桥洞已经不能通过。",
    "市政部门去年检查时发现桥墩有裂缝，专家建议先加固基础，再修补桥面。",
    "封闭期间，住在河对岸的学生可以乘坐免费的渡船，早上六点半开始发船。",
    "工程预计在春节前完成，届时桥上还会装回一百年前丢失的两尊石狮子。",
)
LAST = "附近的茶馆老板说，他已经盼了十年，希望游客能像从前一样走过来喝茶。"


def _read(amid: str, after: str = "") -> str:
    story = "".join(f"<p>{one}</p>" for one in TOLD)
    return read_article(
        "<!doctype html><html><head><title>老桥将封闭维修</title></head><body><div class='nr'>"
        f"<h1>老桥将封闭维修</h1>{story}{amid}<p>{LAST}</p>{after}</div></body></html>",
        URL,
    ).text


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "line",
    [
        "（原标题：老桥冬天要封闭）",
        "本文来源：城南晚报 责任编辑：李某_A12",
        "来源：本站原创 作者：王某 时间：2019年10月31日 浏览：33",
        "编辑|陈某 校对|黄某",
        "责编：赵某",
        "发布日期：2019-03-06",
        "特别声明：以上内容由用户上传，本平台只提供存储。",
        "转载请注明出处",
        "未经授权不得转载",
        "版权所有 城南晚报",
        "图片来源：城南晚报",
        "部分图片来自网络，请联系删除。",
        "扫描左侧二维码关注城南晚报",
        "请关注城南晚报公众号",
        "城南晚报客户端",
        "暂无评论",
        "本記事の無断転載を禁じます",
        "この記事は会員限定です",
        "［有料会員限定］ この記事は会員限定です。登録すると続きをお読みいただけます。",
        "무단 전재 및 재배포 금지",
    ],
)
def test_credits_and_invitations_go(line: str) -> None:
    assert _read(f"<p>{line}</p>") == "\n\n".join((*TOLD, LAST))


@pytest.mark.contract("E2")
@pytest.mark.parametrize(
    "line",
    [
        "来源不明的石料不得用于这座桥，专家在会上说。",
        "编辑部收到三十封读者来信，都问渡船几点停。",
        "声明称，工程不会影响桥下的菜市场。",
        "图书馆也在桥边，封闭期间照常开门。",
        "评论员认为，老桥比新桥更值得花钱。",
        "分享渡船的学生很快成了朋友。",
        "未经批准，汽车不得停在渡口。",
        "关注老桥的人越来越多。",
        "更多的人选择骑车绕到新桥。",
    ],
)
def test_sentences_that_begin_alike_stay(line: str) -> None:
    assert line in _read(f"<p>{line}</p>")


@pytest.mark.contract("E2")
@pytest.mark.parametrize("head", ["相关阅读", "您可能感兴趣的文章", "热门评论 10条", "関連記事"])
def test_what_a_box_after_the_article_holds_goes(head: str) -> None:
    box = f"<div><h3>{head}</h3><ul><li>新桥的灯坏了三盏，市民打电话报修</li></ul></div>"
    assert _read("", box) == "\n\n".join((*TOLD, LAST))


@pytest.mark.contract("E2", "E4")
@pytest.mark.parametrize(
    "unit", ["来源：", "扫描", "关注", "图片来自", "相关", "原创", "_-", "未经"]
)
def test_such_lines_take_time_in_proportion(unit: str) -> None:
    def tried(length: int) -> None:
        for at in range(length):
            line = (unit * 99)[: 90 + at % 10]
            is_eastern_notice(line)
            is_eastern_tail(line)

    assert growth(tried, 100) < LINEAR
