"""The chart of a response: every unit of each level, the mean and its interval beside them."""

from __future__ import annotations

import io

from leadline.experiment.analysis import Finding


def strip_chart(finding: Finding, factor: str) -> str:
    """An SVG drawing, the same for the same finding."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    groups = [group for group in finding.groups if group.values]
    with mpl.rc_context({"svg.hashsalt": finding.response, "svg.fonttype": "none"}):
        figure = Figure(figsize=(7.2, 3.6), layout="constrained")
        axes = figure.add_subplot(title=f"{finding.response} by {factor}", ylabel=finding.response)
        for at, group in enumerate(groups):
            spread = [at - 0.12 + 0.02 * (number % 7 - 3) for number in range(len(group.values))]
            (dots,) = axes.plot(spread, group.values, "o", alpha=0.45, markersize=4)
            mean = group.mean
            reach = [[mean.value - mean.low], [mean.high - mean.value]]
            axes.errorbar(at + 0.12, mean.value, reach, fmt="s", color=dots.get_color(), capsize=4)
        axes.set_xticks(range(len(groups)), [group.level for group in groups])
        axes.grid(axis="y", alpha=0.3)
        drawing = io.StringIO()
        figure.savefig(drawing, format="svg", metadata={"Date": None})
    return drawing.getvalue()
