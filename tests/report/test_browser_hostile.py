"""Hostile words in a browser: markup, marks that turn text around, what cannot be seen, and texts without an end."""

import pytest

from mendbench.report.html import trial_link
from tests.fakes.runs import key_of, plausible, repairable, row_of, small_run, stored_run

pytestmark = pytest.mark.browser

PLAUSIBLE = "slack/greeting | mendbench | chat | tiny-coder | summary | two-layer | structural | 000000"
MARKUP = [
    """</script></template><img src=x onerror="window.harmed=1"><script>window.harmed=1</script>'"${7*7}&amp;<b>""",
    """<svg onload="window.harmed=1"><a xlink:href="javascript:window.harmed=1">x</a></svg>""",
    """" onfocus="window.harmed=1" autofocus x=" ' onmouseover='window.harmed=1""",
    """javascript:window.harmed=1//<!--<script>--><iframe srcdoc="<script>top.harmed=1</script>">""",
    """<base href="https://elsewhere.example/"><meta http-equiv="refresh" content="0;url=https://elsewhere.example/">""",
    """<form action="https://elsewhere.example/"><input name=getElementById><link rel=stylesheet href="https://elsewhere.example/">""",
    """__proto__ {{constructor.constructor('window.harmed=1')()}} {% raw %}""",
]
BOXES = """() => { document.querySelectorAll('details').forEach((part) => { part.open = true; }); document.querySelectorAll('[role=tabpanel]').forEach((part) => { part.hidden = false; }); }"""


def test_hostile_words_are_shown_and_do_nothing(reads):
    rows = []
    for at, words in enumerate(MARKUP):
        case = repairable(f"case-{at}", request=words, recorded_from={"slack": words})
        happened = plausible(response=words * 3, context=words * 3, frame=words)
        row, texts = row_of(case, happened, key_of(case, "summary"))
        rows.append(({**row, "outputs": {words: words}, "title": words, "faults_fixed": [words]}, texts))
    reader = reads(stored_run(rows, digests={words: words for words in MARKUP}))
    wrong = {}
    for at, words in enumerate(MARKUP):
        page = reader.open(trial_link(PLAUSIBLE.replace("greeting", f"case-{at}")))
        page.evaluate(BOXES)
        held = {
            "response": words * 3 in page.locator(".event").nth(1).inner_text(),
            "request": words in page.locator(".request").inner_text(),
            "title": words in page.locator("#trial h1").inner_text(),
            "no harm": page.evaluate("window.harmed") is None,
            "no element": page.locator("img, iframe, form, base, object, embed").count() == 0,
            "no script": page.locator("script").count() == 2,
            "no link": page.locator("a[href^='javascript']").count() == 0,
        }
        wrong |= {words: [name for name, holds in held.items() if not holds]} if not all(held.values()) else {}

    assert wrong == {}


def test_hostile_names_of_a_strategy_a_policy_and_a_model_stay_names(reads):
    case = repairable()
    keys = [key_of(case, words, model=words) for words in MARKUP[:3]]
    made = [row_of(case, plausible(), key) for key in keys]
    reader = reads(stored_run(made))
    page = reader.open()

    page.locator("a.cell").first.click()
    page.wait_for_selector("#trial > article")
    shown = [reader.open(trial_link(row["key"])).locator(".chips").inner_text() for row, _ in made]

    assert [words for words, chips in zip(MARKUP[:3], shown, strict=True) if chips.count(words) < 2] == []
    assert page.evaluate("window.harmed") is None


def test_marks_that_turn_text_around_are_shown_as_what_they_are(reads):
    run = small_run(response="pay \u202e0001\u202c to \u2066me\u2069 \u200f!")
    page = reads(run).open(trial_link(PLAUSIBLE))

    shown = page.locator("#trial").inner_text()
    assert "pay ⟨U+202E⟩0001⟨U+202C⟩ to ⟨U+2066⟩me⟨U+2069⟩ ⟨U+200F⟩!" in shown
    assert not set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f") & set(page.content())


def test_what_cannot_be_seen_is_named(reads):
    run = small_run(response="a\0b\x1bc\u200bd\ufeffe\rf")
    page = reads(run).open(trial_link(PLAUSIBLE))

    assert "a⟨U+0000⟩b⟨U+001B⟩c⟨U+200B⟩d⟨U+FEFF⟩e⟨U+000D⟩f" in page.locator("#trial").inner_text()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\ud83d!", "⟨U+D83D⟩!"),
        ("\ude00", "⟨U+DE00⟩"),
        ("😀 é ü 漢 עברית", "😀 é ü 漢 עברית"),
        ("tab\tline\n", "tab\tline\n"),
        ("\x85\xad", "⟨U+0085⟩⟨U+00AD⟩"),
    ],
)
def test_only_what_hides_or_misleads_is_named(standing, text, shown):
    assert standing.evaluate("(codes) => seen(String.fromCharCode(...codes))", units(text)) == shown


def units(text):
    raw = text.encode("utf-16-le", "surrogatepass")
    return [int.from_bytes(raw[at : at + 2], "little") for at in range(0, len(raw), 2)]


def test_a_line_of_five_million_letters_is_cut_and_shown_when_asked_for(reads):
    run = small_run(response="x" * 5_000_000)
    page = reads(run).open(trial_link(PLAUSIBLE))
    response = page.locator(".event").nth(1).locator(".cut")

    assert len(response.locator("pre").inner_text()) == 20_000
    response.locator(".more").click()
    page.wait_for_selector(".piece")
    assert len(response.locator("pre").text_content()) == 5_000_000
    page.keyboard.press("Escape")
    page.wait_for_selector("#overview", state="visible")


def test_a_long_request_and_a_long_reason_are_cut_in_their_sentence(reads):
    run = stored_run([row_of(repairable(request="y" * 300_000), plausible(), key_of(repairable(), "summary"))])
    page = reads(run).open(trial_link(PLAUSIBLE))

    assert len(page.locator(".request").inner_text()) < 21_000
    assert "more characters" in page.locator(".request").inner_text()


def test_workflows_with_a_line_of_a_million_letters_can_be_compared(standing):
    before, after = "a\n" + "x" * 1_000_000, "b\n" + "y" * 1_000_000
    found = standing.evaluate("([a, b]) => diffView(a, b).textContent.length", [before, after])

    assert found < 100_000


@pytest.mark.parametrize("width", [320, 1280])
def test_words_without_a_break_do_not_make_the_page_scroll_sideways(reads, width):
    reader = reads(small_run(response="x" * 400, context="y" * 400), viewport={"width": width, "height": 844})
    compared = "#compare=summary&to=none"
    wide = []
    for fragment in ("", trial_link(PLAUSIBLE), compared, f"{compared}&case=slack%2Fgreeting"):
        page = reader.open(fragment)
        page.evaluate(BOXES)
        wide += [fragment] if page.evaluate("document.documentElement.scrollWidth") > width else []

    assert wide == []


def test_no_style_and_no_handler_of_the_data_can_act_under_the_policy(reads):
    reader = reads(small_run())
    page = reader.open()
    page.evaluate("""() => { const made = document.createElement('div'); made.setAttribute('style', 'color: rgb(1, 2, 3)'); made.id = 'made';
        made.setAttribute('onclick', 'window.harmed = 1'); document.body.append(made); made.click(); }""")

    assert page.evaluate("getComputedStyle(document.getElementById('made')).color") != "rgb(1, 2, 3)"
    assert page.evaluate("window.harmed") is None
    assert any("Content Security Policy" in said for said in reader.said)
    reader.said.clear()
