"""How the parts of a picture look: one style for all pictures of a page, in light and dark.

Colours are custom properties, so that a page can say them once and a test can read their contrast.
"""

from __future__ import annotations

from queuecheck.report.html.svg import element

# The height of a stretch.
BAR = 26

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1f2328",
    "soft": "#57606a",
    "line": "#d0d7de",
    "holds": "#dbe9ff",
    "holds-edge": "#0550ae",
    "marked": "#ffecd1",
    "marked-edge": "#9a4b00",
    "waits": "#eef0f3",
    "waits-edge": "#6e7781",
    "bad": "#b3261e",
    "good": "#1a7f37",
}
DARK = {
    "paper": "#0d1117",
    "ink": "#e6edf3",
    "soft": "#9da7b1",
    "line": "#3d444d",
    "holds": "#12305c",
    "holds-edge": "#79b8ff",
    "marked": "#4a2f0a",
    "marked-edge": "#ffb557",
    "waits": "#222931",
    "waits-edge": "#8b949e",
    "bad": "#ff938a",
    "good": "#56d364",
}


def variables(colours: dict[str, str]) -> str:
    """The declarations of a set of colours."""
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())


STYLE = f"""\
:root {{ color-scheme: light dark; {variables(LIGHT)} }}
@media (prefers-color-scheme: dark) {{ :root {{ {variables(DARK)} }} }}
.timeline {{ font: 13px/1 system-ui, sans-serif; display: block }}
.timeline text {{ fill: var(--ink); stroke: none }}
.timeline .name {{ font-weight: 600; font-size: 12px }}
.timeline .tick {{ fill: var(--soft); font-size: 11px; font-variant-numeric: tabular-nums }}
.timeline .axis {{ stroke: var(--soft) }}
.timeline .guide {{ stroke: var(--soft); stroke-dasharray: 2 3 }}
.timeline line.act {{ stroke: var(--ink) }}
.timeline line.broken {{ stroke: var(--bad); stroke-width: 2 }}
.timeline .name, .timeline .tick, .timeline .caption text, .timeline .dot text,
.timeline .over text {{
  paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round }}
.timeline .caption text {{ fill: var(--soft); font-size: 12px }}
.timeline .act text {{ fill: var(--ink) }}
.timeline .broken text {{ fill: var(--bad); font-weight: 600 }}
.timeline .window line {{ stroke: var(--soft) }}
.timeline .window.broken line {{ stroke: var(--bad) }}
.timeline .holds {{ fill: var(--holds); stroke: var(--holds-edge); stroke-width: 4;
  --fade: url(#to-holds) }}
.timeline .marked {{ fill: var(--marked); stroke: var(--marked-edge); stroke-width: 4;
  stroke-dasharray: 6 4; --fade: url(#to-marked) }}
.timeline .waits {{ fill: var(--waits); stroke: var(--waits-edge); --fade: url(#to-waits) }}
.timeline .over {{ fill: none; stroke: var(--waits-edge); stroke-width: 2; stroke-dasharray: 1 5 }}
.timeline .over text {{ fill: var(--soft) }}
#bar rect {{ stroke: var(--paper); stroke-width: 1; stroke-dasharray: none }}
#fade {{ fill: var(--fade, url(#to-paper)); stroke: none }}
.timeline .dot circle {{ fill: var(--ink) }}
.timeline .dot path {{ fill: var(--marked-edge) }}
.timeline .number {{ overflow: visible }}
.timeline .number circle {{ fill: var(--ink); stroke: var(--paper); stroke-width: 1.5 }}
.timeline .number text {{ fill: var(--paper); font-size: 12px; font-weight: 700;
  text-anchor: middle }}
.paper {{ fill: var(--paper) }}"""


def definitions() -> str:
    """What every stretch uses; once in a page, or in a picture that stands alone."""
    bar = element(
        "g",
        element("rect", width="100%", height=BAR),
        element("line", x2="100%", y1=BAR - 2, y2=BAR - 2),
        id="bar",
    )
    fade = element("rect", id="fade", x=-16, width=16, height=BAR - 4)
    gradients = []
    for name in ("holds", "marked", "waits", "paper"):
        colour = f"var(--{name})"
        stops = (
            element("stop", stop_color=colour, stop_opacity=0),
            element("stop", offset=1, stop_color=colour),
        )
        gradients.append(element("linearGradient", *stops, id=f"to-{name}"))
    return element("defs", bar, fade, *gradients)
