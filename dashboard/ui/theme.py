"""How the board looks, beside ``.streamlit/config.toml``: palette and marks of figures, and the page's frame.

Marks mean one thing everywhere: family is a colour (Okabe-Ito, then grey), source is a shape, the Pareto frontier is a
line.
"""

from collections.abc import Iterable

GREY = "#8A867C"
GRID = "rgba(138,134,124,0.20)"
CLEAR = "rgba(0,0,0,0)"
TEALS = [[0, "rgba(20,160,149,0.04)"], [1, "rgba(20,160,149,0.75)"]]
"""A scale of one hue, for shares."""

OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C7A00", "#6E6E6E")
"""The colour-blind-safe palette of Okabe and Ito; its yellow is darkened to be seen on paper, its black is grey."""

ICONS = {
    "overview": ":material/grid_view:",
    "leaderboard": ":material/leaderboard:",
    "tradeoffs": ":material/scatter_plot:",
    "compare": ":material/compare_arrows:",
    "playground": ":material/play_circle:",
    "submit": ":material/upload_file:",
    "run": ":material/science:",
    "model": ":material/model_training:",
    "devices": ":material/memory:",
    "about": ":material/info:",
    "changes": ":material/history:",
    "moderation": ":material/gavel:",
}
"""Of the pages, by the names of their files."""

SYMBOLS = {"reported": "circle-open", "measured": "circle", "submitted": "diamond"}
DASHES = ("solid", "dash", "dot")

_FAMILIES = ("KoBiLSTM", "DistilKoBiLSTM", "BERT", "DistilBERT", "KoELECTRA", "E5", "BiLSTM", "BERT from scratch")
"""Families with a colour of their own."""

_PREFERRED = {"MiniLM": 0, "DistilMiniLM": 1, "KoBERT": 2, "Ensemble": 3, "Transformer from scratch": 4, "n-grams": 6}
"""Colours of further families, which are free on the boards that come along."""

# Streamlit leaves a fifth of the first screen empty above the page; the answer belongs there. The switch of the
# language sits in the head beside the menu, where Streamlit has no place for a widget. Links to another
# run are links, not the page that is open: Streamlit marks them by their path alone. The name of a model begins where
# its answer does. Figures in a row stand two by two on a phone. Captions, and the colours that Streamlit gives to parts
# of a command, are too pale for some eyes; so are the accent on a chosen button under the pointer, and white on the
# accent of the dark theme. Korean breaks between words, as it is printed. What is wrong with a field stands below it
# without a box. Tables of strangers' words offer no download: a sheet would take some of them for formulas.
FRAME = """<style>
.stMainBlockContainer { padding-top: 5rem; padding-bottom: 3rem; max-width: 1500px; }
[data-testid="stCaptionContainer"] { color: inherit; opacity: 0.7; }
:lang(ko) .stMain, :lang(ko) .stMain :is(p, li, h1, h2, h3) { word-break: keep-all; overflow-wrap: break-word; }
[data-testid="stTable"] :is(th, td) * { word-break: keep-all !important; overflow-wrap: break-word !important; }
code .token, [data-testid="stCaptionContainer"] code { color: inherit !important; }
[data-testid="stMultiSelectTagsContainer"] [data-tag] { color: inherit; border: 1px solid #14A095;
  background: color-mix(in srgb, #14A095 18%, transparent); }
.stButtonGroup button[data-selected="true"] { color: inherit !important; }
[data-testid^="stBaseButton-primary"]:not(:disabled) { color: light-dark(#FFFFFF, #141413) !important; }
[data-testid="stTopNav"] { margin-right: 12rem; }
.st-key-language { position: fixed; top: 0.8rem; right: 3.5rem; z-index: 999991; width: auto; gap: 0; }
.stMainBlockContainer [data-testid="stPageLink-NavLink"]:not(:hover) { background: transparent; }
a:focus-visible, .stMain input[role="switch"]:focus-visible + *, [data-testid="stHeader"] button:focus-visible {
  outline: 2px solid #14A095 !important; outline-offset: 2px; }
[data-testid="stElementContainer"]:has(.skip:not(:focus), #rows) { position: absolute; }
.skip:not(:focus) { position: absolute; left: -100vw; }
#rows:focus { outline: none; }
.stMainBlockContainer [data-testid="stPageLink-NavLink"] p { font-weight: 400; }
.stMainBlockContainer [data-testid="stPageLink-NavLink"] :is(span, div, p) { white-space: normal; }
[class*="st-key-pg_name"] [data-testid="stPageLink-NavLink"] { padding-left: 0; }
.st-key-figures > [data-testid="stElementContainer"] { flex: 1 1 9rem; width: auto; min-width: 9rem; }
[class*="st-key-submit_wrong"] [data-testid="stAlertContainer"] { background: transparent; padding: 0; min-height: 0; }
[class*="st-key-submit_wrong"] [data-testid="stAlert"] p { font-size: 0.9rem; }
.st-key-submit_steps { max-width: 62rem; }
.st-key-submit_steps [data-testid="stElementToolbar"] { display: none; }
.st-key-submit_steps h2 { margin-top: 1.2rem; padding-top: 1.2rem; border-top: 1px solid rgba(138,134,124,0.35); }
.st-key-language button { min-height: 1.9rem; padding: 0.1rem 0.6rem; }
@media (max-width: 640px) {
  .stApp:has([data-testid="stSidebar"][data-collapsed="false"]) .st-key-language { visibility: hidden; }
  .stMainBlockContainer { padding-left: 1rem; padding-right: 1rem; }
  [data-testid="stHeaderLogo"] { width: 2rem; object-fit: cover; object-position: left; }
}
</style>"""

# Streamlit has no setting for the words of its upload field. Its own stay for screen readers, without a size.
UPLOAD = """<style>
[data-testid="stFileUploaderDropzone"] button p { font-size: 0; }
[data-testid="stFileUploaderDropzoneInstructions"] span { font-size: 0; }
[data-testid="stFileUploaderDropzone"] button p::after { content: "%s"; font-size: 0.93rem; }
[data-testid="stFileUploaderDropzoneInstructions"] span::after { content: "%s"; font-size: 0.85rem; }
</style>"""

# What an <iframe> of another site shows: the page alone. Streamlit hides its own frame, not what we put into it.
EMBEDDED = """<style>
[data-testid="stHeader"], .st-key-language { display: none !important; }
.stMainBlockContainer { padding-top: 1rem; padding-bottom: 1rem; }
</style>"""

# Streamlit knows ``embed=true`` alone, and reads it before any of our code runs.
EMBED_LINK = """<script>
const address = new URL(location)
if (address.searchParams.get("embed") === "1") {
  address.searchParams.set("embed", "true")
  location.replace(address)
}
</script>"""


def family_colours(boards: Iterable[tuple[str, str]]) -> dict[str, str]:
    """A colour per family, the same on all pages.

    Eight known families have their own; each other takes the first that no family of its boards has, or else grey.
    Families come as (board, family), once for each of their boards, in the order in which they came.
    """
    boards_of: dict[str, set[str]] = {}
    for board, family in boards:
        boards_of.setdefault(family, set()).add(board)
    colours: dict[str, str] = {}
    taken: dict[str, set[str]] = {}
    for family in sorted(boards_of, key=lambda family: family not in _FAMILIES):
        others = set().union(*(taken.setdefault(board, set()) for board in boards_of[family]))
        order = (OKABE_ITO[_PREFERRED.get(family, 0)], *OKABE_ITO)
        free = (colour for colour in order if colour not in others)
        colours[family] = OKABE_ITO[_FAMILIES.index(family)] if family in _FAMILIES else next(free, GREY)
        for board in boards_of[family]:
            taken[board].add(colours[family])
    return colours
