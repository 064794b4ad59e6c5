from html.parser import HTMLParser

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
