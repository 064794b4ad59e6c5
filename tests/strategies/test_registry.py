"""Strategies by name, by path, and from folders of the user's own."""

import pytest

from mendbench.errors import BadInput, UnknownName
from mendbench.strategies import registry, strategies, strategy
from tests.fakes.installed import install

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
