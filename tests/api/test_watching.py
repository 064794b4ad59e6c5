import pytest

from mendbench import api
from mendbench.errors import BadInput
from tests.cli.test_run import TEMPLATE
from tests.fakes import cases


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return cases.build(tmp_path_factory.mktemp("watching"))


@pytest.fixture
def mine(built, tmp_path, monkeypatch):
    root = cases.copy_of(built, tmp_path / "corpus")
    monkeypatch.chdir(root)
    path = root / "mine.md.j2"
    path.write_text(TEMPLATE)
    return path


def rewritten(path, old, new):
    path.write_text(path.read_text().replace(old, new))


def test_the_first_frame_has_every_prompt(mine):
    snapshot = api.watch_strategy("mine.md.j2", (cases.RENAMED,)).snapshot()
    (prompt,) = snapshot.prompts
    assert (snapshot.strategy, snapshot.against, prompt.case, prompt.changed) == (
        "mine.md.j2",
        "summary",
        cases.RENAMED,
        True,
    )
    assert prompt.tokens > 0
    assert prompt.all_facts >= prompt.facts
    assert prompt.repaired in {True, False}


def test_only_prompts_that_change_are_marked(mine):
    watching = api.watch_strategy("mine.md.j2", (cases.RENAMED,))
    watching.snapshot()
    assert [prompt.changed for prompt in watching.snapshot().prompts] == [False]
    rewritten(mine, "{% endblock", "And more.\n{% endblock")
    assert [prompt.changed for prompt in watching.snapshot().prompts] == [True]


def test_each_change_gives_a_frame_and_a_broken_template_its_error(mine):
    watching = api.watch_strategy("mine.md.j2", (cases.RENAMED,))

    def changes():
        rewritten(mine, "{% endblock", "{% endblok")
        yield None
        mine.write_text(TEMPLATE)
        yield None

    first, broken, mended = api.snapshots(watching, changes())
    assert first.prompts
    assert isinstance(broken, BadInput)
    assert "mine.md.j2" in str(broken)
    assert mended.prompts


def test_nothing_is_recorded(mine):
    before = {path: path.read_bytes() for path in mine.parent.rglob("*.yaml")}
    api.watch_strategy("mine.md.j2", (cases.RENAMED,)).snapshot()
    assert {path: path.read_bytes() for path in mine.parent.rglob("*.yaml")} == before


def test_a_wrong_name_is_refused_before_watching(mine):
    with pytest.raises(BadInput):
        api.watch_strategy("none.md.j2")
