"""One trial in a browser: its parts, its graph, its neighbours, what is copied, and the keys."""

import json

import pytest

from mendbench.report.html import trial_link
from tests.fakes.runs import key_of, plausible, repairable, row_of, small_run, stored_run, unjudged, unrepaired

pytestmark = pytest.mark.browser

GREETING = "slack/greeting | mendbench | chat | tiny-coder | {} | {} | {} | 000000"
PLAUSIBLE = GREETING.format("summary", "two-layer", "structural")
REPAIRED = GREETING.format("full-context", "two-layer", "structural")


def opened(reads, run=None, key=PLAUSIBLE, more="", **options):
    page = reads(run, **options).open(f"#{more}{trial_link(key)[1:]}")
    page.wait_for_selector("#trial > article")
    return page


def test_the_timeline_shows_prompt_answer_edit_and_execution(reads):
    page = opened(reads, small_run(response='{"edits": []}'))
    attempt = page.locator(".event").nth(1)

    assert page.locator(".event").first.inner_text().startswith("First execution")
    assert attempt.locator(".source").all_inner_texts() == ["raw", "state", "derived"]
    assert '{"edits": []}' in attempt.inner_text()
    assert "Hi ${fetch.response.user.username}!" in attempt.locator(".diff .removed").inner_text()
    assert "Hi ada!" in attempt.locator(".diff .added").inner_text()
    assert attempt.locator("h4", has_text="Resumed execution").count() == 1
    assert "succeeded" in page.locator(".event").last.inner_text()


def test_what_was_sent_what_is_true_and_what_is_kept_have_a_tab_and_an_address_each(reads):
    page = opened(reads)

    page.locator("[role=tab]", has_text="Requests").click()
    assert "POST https://slack.com/api/chat.postMessage" in page.locator("#panel-requests").inner_text()
    assert "tab=requests" in page.url
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#panel-truth", state="visible")
    assert page.evaluate("document.activeElement.id") == "tab-truth"
    assert "on the variant “bob”" in page.locator("#panel-truth .failed").first.inner_text()
    page.keyboard.press("4")
    page.wait_for_selector("#panel-record", state="visible")
    assert PLAUSIBLE in page.locator("#panel-record").inner_text()


def test_an_address_opens_a_tab_of_a_trial(reads):
    page = opened(reads, more="tab=truth&")

    assert page.locator("#panel-truth").is_visible()
    assert not page.locator("#panel-").is_visible()


def test_facts_are_marked_where_they_stand_in_the_context(reads):
    run = small_run(context="the API answers `name`, and never username")
    for row in run.rows:
        for attempt in row["attempts"]:
            attempt["facts"] = {"found": ["n[a-z]me"], "missing": [r"(?i)\bid\b|user\.[iI]d"]}
    page = opened(reads, run)

    assert page.locator(".section.from-raw mark").all_inner_texts() == ["name"]
    assert page.locator(".context").get_attribute("aria-label") == "Context block"
    assert page.locator(".fact.missing").inner_text() == "✗ id or user.id"
    assert page.locator(".fact.found").inner_text() == "✓ name"
    assert "n[a-z]me" in page.locator(".fact.found").get_attribute("title")


def test_the_graph_shows_every_node_with_its_state_and_says_it_in_words(reads):
    page = opened(reads)
    nodes = page.locator("svg.graph g.node")

    assert [nodes.nth(at).get_attribute("aria-label") for at in range(nodes.count())] == [
        "fetch, http: success", "greet, http: error",
    ]  # fmt: skip
    page.locator("summary", has_text="The same as a list").click()
    assert "fetch http ✓ success then greet" in page.locator(".drawn .paths").inner_text()


def test_a_step_of_the_trial_shows_its_states_and_its_edits_in_the_graph(reads):
    page = opened(reads)

    page.locator('button[data-step="1"]').click()

    assert (
        page.locator("g.node", has_text="greet").get_attribute("aria-label")
        == "greet, http: success, labelled error, edited"
    )
    assert "at=1" in page.url


def test_a_node_is_reached_and_read_by_keyboard(reads):
    page = opened(reads)

    page.locator("g.node").first.focus()
    page.keyboard.press("Enter")

    assert "https://slack.com/api/users.info" in page.locator(".node-card").inner_text()
    assert page.evaluate("document.activeElement.dataset.node") == "fetch"


@pytest.mark.parametrize(
    ("edges", "across"),
    [
        ([("a", "b"), ("b", "c")], [0, 1, 2]),
        ([("a", "b"), ("a", "c")], [0, 1, 1]),
        ([("a", "b"), ("b", "a"), ("b", "c")], None),
        ([("a", "a"), ("a", "c"), ("x", "c")], [0, 0, 1]),
        ([], [0, 0, 0]),
    ],
)
def test_every_node_of_any_graph_has_a_place_of_its_own(standing, edges, across):
    drawn = {
        "nodes": [{"id": name, "type": "http"} for name in "abc"],
        "edges": [{"from": a, "to": b} for a, b in edges],
    }
    layers = standing.evaluate(
        "(text) => layersOf(documentOf(text)).flatMap((layer, at) => layer.map((node) => [node.id, at]))",
        json.dumps(drawn),
    )

    assert sorted(name for name, _ in layers) == ["a", "b", "c"]
    assert across is None or [at for _, at in sorted(layers)] == across


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"nodes": {}}', '{"nodes": [null, 3, {"id": 4}]}'])
def test_a_workflow_that_is_none_is_not_drawn(standing, text):
    assert standing.evaluate("(text) => documentOf(text)", text) is None


def test_the_command_that_replays_the_trial_is_shown_and_copied(reads):
    page = opened(reads, permissions=["clipboard-read", "clipboard-write"])
    command = "mendbench run slack/greeting --strategy summary --policy two-layer --repairer chat --model tiny-coder --out reports/again"

    assert page.locator(".command").inner_text() == command
    page.locator("button", has_text="Copy command").click()
    page.wait_for_selector(".copy.done")
    assert page.evaluate("navigator.clipboard.readText()") == command
    assert "clipboard" in page.locator("#said").inner_text()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"detector": "minimal"}, "--detector minimal"),
        ({"sample": 2}, "--samples 3"),
        ({"engine": "other"}, "--engine other"),
        ({"strategy": "my own; rm"}, "--strategy 'my own; rm'"),
        ({"strategy": "it's"}, r"--strategy 'it'\''s'"),
    ],
)
def test_a_command_names_what_differs_from_what_is_usual_and_quotes_it(standing, changes, words):
    assert words in standing.evaluate(
        "(changes) => report.run.command({...report.run.rows[0], policy: 'two-layer', detector: 'structural', ...changes})",
        changes,
    )


def test_the_prompt_that_is_copied_is_the_whole_one(reads):
    page = opened(reads, permissions=["clipboard-read", "clipboard-write"])

    page.locator("button", has_text="Copy prompt").first.click()
    page.wait_for_selector(".copy.done")

    context_text = "the API answers `name`\n\nfetch.response.user.name\n\ndid you mean `name`?"
    assert page.evaluate("navigator.clipboard.readText()") == f"You mend workflows.\n\nframe\n\n{context_text}"


def test_keys_lead_to_the_next_case_and_the_next_strategy_and_back(reads):
    page = opened(reads)

    for key, brand, strategy in (
        ("l", "greeting", "none"),
        ("h", "greeting", "summary"),
        ("k", "farewell", "summary"),
        ("j", "greeting", "summary"),
    ):
        page.keyboard.press(key)
        page.wait_for_selector(f".brand:has-text('{brand}') ~ .chips dd:text-is('{strategy}')")

    assert page.url.endswith(trial_link(PLAUSIBLE))


def test_neighbours_are_those_that_the_filters_leave(reads):
    page = opened(reads, more="kind=repairable&")

    assert "case 2 of 2" in page.locator(".steps-beside").inner_text()


def test_the_keys_are_listed_and_can_be_switched_off(reads):
    page = opened(reads)

    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.locator("#single-keys").uncheck()
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()
    page.keyboard.press("j")
    page.keyboard.press("?")

    assert not page.locator("#help").is_visible()
    assert "keys=off" in page.url
    assert page.locator("#trial").is_visible()


def test_letters_typed_into_a_field_are_no_keys(reads):
    page = reads().open()

    page.keyboard.press("/")
    page.keyboard.type("c?j")

    assert page.locator("#find-box").input_value() == "c?j"
    assert page.locator("#overview").is_visible()


def test_samples_of_a_trial_share_a_cell_and_are_linked(reads):
    case = repairable()
    reader = reads(small_run(extra=[row_of(case, plausible(), key_of(case, "summary", "two-layer", sample=1))]))
    page = reader.open("#policy=two-layer")

    assert "0 of 2 right" in reader.cell(PLAUSIBLE).inner_text()
    reader.cell(PLAUSIBLE).click()
    page.locator(".sibling", has_text="summary #1").click()
    page.wait_for_selector(".command:has-text('--samples 2')")
    assert page.url.endswith("000001")


def test_an_unjudged_trial_states_the_command_that_records_it(reads):
    case = repairable("third")
    run = small_run(extra=[row_of(case, unrepaired(), key_of(case, "summary"), problem=unjudged())])
    page = opened(reads, run, PLAUSIBLE.replace("greeting", "third"))

    assert "mendbench run slack/greeting --record new_episodes" in page.locator(".verdict").inner_text()


def test_an_output_that_looks_like_a_reference_is_shown_as_it_is(reads):
    run = small_run()
    row = next(row for row in run.rows if row["key"] == PLAUSIBLE)
    row["outputs"] = {"$text": ["constructor"]}
    page = opened(reads, run, more="tab=record&")

    assert '"$text": "constructor"' in page.locator("#panel-record").inner_text()


def test_every_key_of_the_page_is_the_key_of_its_row(reads):
    keys = reads().open().evaluate("report.run.rows.map((row) => row.key)")

    assert keys == [row["key"] for row in small_run().rows]


def test_a_trial_without_anything_in_it_has_a_page(reads):
    case = repairable()
    run = stored_run([row_of(case, unrepaired(), key_of(case, "summary"))])
    row = run.rows[0]
    row.update(
        first=None,
        attempts=[],
        checks=[],
        nodes={},
        requests=[],
        variants=[],
        warnings=[],
        progress=None,
        context_recall=None,
        prompt_tokens=None,
    )
    page = opened(reads, run)

    assert "No attempt was made" in page.locator(".verdict").inner_text()


def test_tokens_of_an_answer_that_are_not_known_are_not_shown_as_none(reads):
    run = stored_run([row_of(repairable(), unrepaired(), key_of(repairable(), "summary"))])
    run.rows[0]["completion_tokens"] = run.rows[0]["attempts"][0]["completion_tokens"] = None
    text = opened(reads, run).locator("#trial").text_content()
    assert "an unknown number of response tokens" in text
    assert "an unknown number in the response" in text


@pytest.mark.parametrize(
    ("before", "after", "signs"),
    [
        ("a\nb\nc", "a\nb\nc", "   "),
        ("a\nb\nc", "a\nc", " - "),
        ("a\nc", "a\nb\nc", " + "),
        ("a\nb\nc", "a\nx\nc", " -+ "),
        ("", "a", "-+"),
        ("a\na\na", "a\na", "  -"),
        ("p\nq\nr\ns", "q\np\nr\nt\ns", None),
    ],
)
def test_a_difference_holds_both_texts(standing, before, after, signs):
    lines = standing.evaluate("([before, after]) => diffLines(before, after)", [before, after])

    assert "\n".join(line["text"] for line in lines if line["sign"] != "+") == before
    assert "\n".join(line["text"] for line in lines if line["sign"] != "-") == after
    assert signs is None or "".join(line["sign"] for line in lines) == signs


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [1, {"b": "x, {y}: \\"z"}], "c": {}}',
        '[12345678901234567890, 1.0, 1e400, "\\u0000"]',
        "[]",
        '[{"a":[]},[[1,2],[]]]',
    ],
)
def test_a_body_is_laid_out_without_a_change_of_its_values(standing, text):
    laid = standing.evaluate("readable", text)

    assert json.loads(laid) == json.loads(text)
    assert "".join(laid.split()) == "".join(text.split())


@pytest.mark.parametrize("text", ["<p>no JSON</p>", "", '{"broken": "', "a: [b, c]"])
def test_a_body_that_is_no_json_keeps_its_letters(standing, text):
    assert "".join(standing.evaluate("readable", text).split()) == "".join(text.split())
