"""`leadline doctor --model X`: what a model can do, and which settings follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leadline.cli.common import note, say

if TYPE_CHECKING:
    from leadline.kit.doctor import Examination
    from leadline.settings import Settings


def look_at_model(settings: Settings, as_json: bool) -> bool:
    """Examine the model that is set and print its profile; whether nothing is BAD."""
    import asyncio

    from leadline.kit.doctor import examine
    from leadline.models.advice import lines

    done = asyncio.run(examine(settings, lambda said: note(f"  {said}")))
    say(_as_json(done) if as_json else "\n".join(_page(settings, one) for one in done))
    return all(line.mark != "BAD" for one in done for line in lines(one.found))


def _page(settings: Settings, one: Examination) -> str:
    from leadline.models.advice import follows, lines
    from leadline.models.profiles import FILE_NAME
    from leadline.render.safe import one_line

    found = lines(one.found)
    width = max(len(line.name) for line in found)
    page = [f"{one_line(one.found.model)}, examined in {one.found.seconds:.0f} s"]
    if one.found.cost:
        page[0] += f" for ${one.found.cost:.3f}"
    page += [f"{line.mark:<4}  {line.name:<{width}}  {one_line(line.said)}" for line in found]
    if made := follows(one.found):
        page += ["", "Settings that follow:"]
        page += [f"  RESEARCH_{each.setting.upper()}={each.value}  # {each.why}" for each in made]
    page += ["", f"Kept in {settings.data_dir / FILE_NAME}; runs with this model go by it."]
    return "\n".join(page) + "\n"


def _as_json(done: list[Examination]) -> str:
    import json
    from dataclasses import asdict

    from leadline.models.advice import follows, lines

    told = [
        {
            **asdict(one.found),
            "profile": asdict(one.profile),
            "lines": [asdict(line) for line in lines(one.found)],
            "settings": {each.setting: each.value for each in follows(one.found)},
        }
        for one in done
    ]
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"
