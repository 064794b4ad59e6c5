"""Strategies by name, by path, and from folders of the user's own."""

import pickle
import re
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from mendbench.errors import BadInput, UnknownName
from mendbench.strategies import registry, strategies, strategy
from tests.fakes.installed import install
from tests.fakes.tables import for_each
from tests.strategies import invented

TEMPLATE = "---\ntitle: Mine\nsource: own\nsections: []\n---\n"


def test_an_unknown_name_gives_the_closest_and_all_others():
    with pytest.raises(UnknownName, match=r"unknown strategy 'sumary'; did you mean 'summary'\? known: agent-json"):
        strategy("sumary")


def test_a_file_in_the_users_folder_is_a_strategy(tmp_path):
    (tmp_path / "mine.md.j2").write_text(TEMPLATE)
    assert strategy("mine", [tmp_path]).title == "Mine"
    assert "mine" in [info.strategy for info in strategies([tmp_path])]


def test_strategies_are_listed_by_name_and_each_is_found_by_it():
    names = [info.strategy for info in strategies()]
    assert names == sorted(names)
    assert [strategy(name).name for name in names] == names


def test_a_users_file_may_not_take_a_shipped_name_unseen(tmp_path):
    (tmp_path / "summary.md.j2").write_text(TEMPLATE)
    with pytest.raises(BadInput, match="there is a strategy 'summary' already"):
        strategy("summary", [tmp_path])


def test_a_folder_given_twice_is_one(tmp_path):
    (tmp_path / "mine.md.j2").write_text(TEMPLATE)
    assert strategy("mine", [tmp_path, tmp_path / "."]).name == "mine"


def test_a_folder_that_is_not_there_is_bad_input(tmp_path):
    with pytest.raises(BadInput, match="no such folder"):
        strategies([tmp_path / "none"])


def test_a_path_to_something_else_is_bad_input(tmp_path):
    with pytest.raises(BadInput, match="not a template file"):
        strategy(str(tmp_path / "mine.txt"))


def test_an_installed_package_can_bring_a_folder(tmp_path, monkeypatch):
    (tmp_path / "theirs.md.j2").write_text(TEMPLATE)
    (tmp_path / "their_strategies.py").write_text(f"FOLDER = {str(tmp_path)!r}\n")
    install(monkeypatch, tmp_path, registry.ENTRY_POINTS, theirs="their_strategies:FOLDER")
    assert strategy("theirs").name == "theirs"


def test_an_installed_package_that_names_no_folder_is_bad_input(tmp_path, monkeypatch):
    install(monkeypatch, tmp_path, registry.ENTRY_POINTS, theirs="json:dumps")
    with pytest.raises(BadInput, match="entry point json:dumps: TypeError: .*; mend or remove it"):
        strategies()


def test_an_installed_package_that_fails_is_bad_input(tmp_path, monkeypatch):
    install(monkeypatch, tmp_path, registry.ENTRY_POINTS, theirs="no_such_module_at_all:FOLDER")
    with pytest.raises(BadInput, match="entry point no_such_module_at_all:FOLDER: ModuleNotFoundError"):
        strategies()


def test_a_name_with_a_section_is_the_strategy_without_it():
    whole, less = strategy("mend"), strategy("mend~suspects")
    assert less.name == "mend~suspects"
    assert less.sections == tuple(spec for spec in whole.sections if spec.name != "suspects")
    texts = {section.name: section.text for section in whole.render(invented.renamed_field(), 1000).sections}
    left = {section.name: section.text for section in less.render(invented.renamed_field(), 1000).sections}
    assert left == {name: text for name, text in texts.items() if name != "suspects"}


def test_its_context_says_which_strategy_made_it():
    assert strategy("summary~guidance").render(invented.renamed_field(), 1000).strategy == "summary~guidance"


def test_several_sections_can_be_left_out_and_stand_in_the_templates_order():
    less = strategy("mend~data~error~data")
    assert (less.name, [spec.name for spec in less.sections]) == ("mend~error~data", ["suspects", "form"])
    assert less == strategy("mend~error~data")


def test_a_section_left_out_costs_nothing_of_the_budget_and_the_others_are_cut_in_their_order():
    view = invented.issue_422()
    rest = strategy("summary~guidance").render(view, 1000)
    assert not strategy("summary~guidance").render(view, rest.tokens).truncated
    cut = strategy("summary~guidance").render(view, rest.tokens - 1)
    assert [section.name for section in cut.sections if section.cut] == ["state"]


def test_every_set_of_sections_left_out_has_a_digest_of_its_own():
    names = ("mend", "mend~error", "mend~data", "mend~error~data")
    assert len({strategy(name).digest for name in names}) == len(names)


def test_a_name_with_a_limit_has_at_most_so_many_tokens_of_context():
    view, whole = invented.issue_422(), strategy("full-context")
    cut = strategy("full-context^100")
    assert (cut.name, cut.limit, cut.sections) == ("full-context^100", 100, whole.sections)
    assert whole.render(view, 1000).tokens > 100 >= cut.render(view, 1000).tokens
    assert cut.render(view, 1000).text == whole.render(view, 100).text
    assert cut.render(view, 50).text == whole.render(view, 50).text
    assert len({whole.digest, cut.digest, strategy("full-context^200").digest}) == 3


@for_each("limit", ["few", "0", ""])
def test_a_limit_that_is_no_number_of_tokens_is_refused(limit):
    with pytest.raises(
        BadInput, match=re.escape(f"strategy mend^{limit}: '{limit}' tokens; write a number of tokens: mend^200")
    ):
        strategy(f"mend^{limit}")


def test_without_all_of_its_sections_a_strategy_says_nothing():
    assert strategy("cli-text~lines").render(invented.renamed_field(), 1000).text == ""


@for_each(
    ("name", "said"),
    [
        ("mend~dat", "strategy mend: unknown section 'dat'; did you mean 'data'? known: data, error, form, suspects"),
        ("mend~", "strategy mend: unknown section ''; known: data, error, form, suspects"),
        ("none~data", "strategy none: unknown section 'data'; known: none"),
        ("mendd~data", "unknown strategy 'mendd'; did you mean 'mend'?"),
    ],
)
def test_a_section_that_there_is_not_is_refused_in_one_line(name, said):
    with pytest.raises(UnknownName) as caught:
        strategy(name)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_template_file_can_be_had_without_a_section_too(tmp_path):
    path = tmp_path / "~mine" / "own.md.j2"
    path.parent.mkdir()
    path.write_text(
        "---\ntitle: x\nsource: y\nsections: [{name: a, label: raw, keep: 2}, {name: b, label: raw, keep: 1}]\n---\n"
        "{% block a %}\nA\n{% endblock %}\n{% block b %}\nB\n{% endblock %}\n"
    )
    assert strategy(str(path)).render(invented.renamed_field(), 99).text == "A\n\nB"
    assert strategy(f"{path}~a").render(invented.renamed_field(), 99).text == "B"
    assert strategy(f"{path}~a").name == "own~a"


def test_a_template_file_whose_name_would_read_so_is_refused(tmp_path):
    (tmp_path / "mine~old.md.j2").write_text(TEMPLATE)
    for name, folders in ((str(tmp_path / "mine~old.md.j2"), ()), ("mine~old", (tmp_path,))):
        with pytest.raises((BadInput, UnknownName)):
            strategy(name, folders)
    with pytest.raises(
        BadInput, match="'~' in the name, which stands before a section that is left out; rename the file"
    ):
        strategies([tmp_path])


def test_another_process_builds_the_same_from_its_name():
    with ProcessPoolExecutor(1, mp_context=get_context("forkserver")) as pool:
        there = pool.submit(strategy, "mend~data").result()
    assert there == strategy("mend~data")
    assert there.digest == strategy("mend~data").digest
    assert pickle.loads(pickle.dumps(there)).render(invented.renamed_field(), 1000).text
