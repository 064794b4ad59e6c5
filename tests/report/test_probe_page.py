from html.parser import HTMLParser

from markupsafe import escape

from mendbench.probing.calls import Call
from mendbench.probing.findings import VERDICTS
from mendbench.report.probe_page import MEANINGS, render_probe
from tests.fakes import probed


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = set(), ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)

    def handle_data(self, data):
        self.text += data


def test_the_page_has_every_message_and_runs_nothing_that_a_server_wrote(tmp_path):
    hostile = {"shelf_id": "s-17", "limit": 2, "note": "<script>alert(1)</script>"}
    found = probed.probed(tmp_path, calls=(Call(tool="find_book", arguments=hostile, place="line 1"),))
    page = _Tags()
    page.feed(render_probe(found))
    assert "script" not in page.tags
    assert "<script>alert(1)</script>" in page.text
    for one in found.broken:
        assert one.answer.text in page.text
    for verdict in VERDICTS:
        assert MEANINGS[verdict] in page.text
    assert "burn_book: its destructiveHint is true" in page.text


def test_calls_whose_message_helps_are_folded_and_counted_for_each_tool(tmp_path):
    found = probed.probed(tmp_path)
    page = render_probe(found)
    shown, folded = page.split('<details class="folded">')
    assert "find_book: sort_by as sortBy" in shown
    for one in found.broken:
        assert str(escape(f"{one.call.tool}: {one.fault.what}")) in (
            folded if one.findings.verdict == "helps" else shown
        )
    assert f"<summary>{found.counts()['helps']} whose message helps</summary>" in page
    for verdict, number in found.counts("lend_book").items():
        assert (
            f'<td data-name="{verdict}">{number}</td>'
            in page.split('<th scope="row">lend_book</th>')[1].split("</tr>")[0]
        )


def test_a_page_without_a_message_that_helps_folds_nothing(tmp_path):
    found = probed.probed(tmp_path, only=frozenset({"find_book/renamed/shelf_id"}))
    assert 'class="folded"' not in render_probe(found)
