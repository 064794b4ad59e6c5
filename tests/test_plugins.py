"""Members found by module name and by entry point."""

from __future__ import annotations

import sys

import pytest

from mendbench.errors import BadInput, EffectEscape, ReplayMiss
from mendbench.plugins import entry_point, entry_points_of, load_member, loaded, module_names, modules_by_member
from tests.fakes.installed import install

GROUP = "mendbench.invented"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of a module, a subpackage, a private module, and two that must not be imported."""
    name = "package_of_members"
    folder = tmp_path / name
    (folder / "sub_folder").mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "plain.py").write_text("MEMBER = ['plain']\n")
    (folder / "sub_folder" / "__init__.py").write_text("MEMBER = ['folder']\n")
    (folder / "two_words.py").write_text("raise AssertionError('imported without need')\n")
    (folder / "_private.py").write_text("raise AssertionError('imported without need')\n")
    (folder / "notes.txt").touch()
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    for module in [known for known in sys.modules if known.partition(".")[0] == name]:
        del sys.modules[module]


def test_every_module_and_folder_is_named_and_private_ones_and_other_files_are_not(package):
    assert module_names(package) == ("plain", "sub_folder", "two_words")


def test_folders_alone_can_be_asked_for(package):
    assert module_names(package, folders_only=True) == ("sub_folder",)


def test_a_members_name_has_hyphens_where_its_module_has_underscores(package):
    assert modules_by_member(package) == {"plain": "plain", "sub-folder": "sub_folder", "two-words": "two_words"}


def test_finding_names_imports_no_member(package):
    module_names(package)
    modules_by_member(package)
    assert [name for name in sys.modules if name.startswith(f"{package}.")] == []


def test_loading_one_member_imports_no_other(package):
    assert load_member(package, "plain", "MEMBER") == ["plain"]
    assert [name for name in sys.modules if name.startswith(f"{package}.")] == [f"{package}.plain"]


def test_a_folder_is_loaded_as_a_module_is(package):
    assert load_member(package, "sub_folder", "MEMBER") == ["folder"]


def test_a_module_that_exports_no_member_has_none(package):
    assert load_member(package, "plain", "OTHER") is None


def test_a_folder_added_to_the_packages_path_brings_its_modules(package, tmp_path, monkeypatch):
    more = tmp_path / "more"
    more.mkdir()
    (more / "late.py").write_text("MEMBER = 'late'\n")
    module_names(package)
    monkeypatch.setattr(sys.modules[package], "__path__", [*sys.modules[package].__path__, str(more)])
    assert "late" in module_names(package)
    assert load_member(package, "late", "MEMBER") == "late"


def test_a_group_that_nobody_announces_is_empty():
    assert entry_points_of(GROUP) == ()
    assert entry_point(GROUP, "any") is None


def test_an_installed_package_announces_its_members_in_their_group_alone(tmp_path, monkeypatch):
    install(monkeypatch, tmp_path, GROUP, one="json:dumps", other="json:loads")
    assert sorted(point.name for point in entry_points_of(GROUP)) == ["one", "other"]
    assert entry_points_of(f"{GROUP}.more") == ()


def test_finding_entry_points_imports_none_and_loading_one_imports_no_other(tmp_path, monkeypatch):
    (tmp_path / "brings_one.py").write_text("MEMBER = ['one']\n")
    install(monkeypatch, tmp_path, GROUP, one="brings_one:MEMBER", other="brings_other:MEMBER")
    point = entry_point(GROUP, "one")
    assert "brings_one" not in sys.modules
    assert loaded(point) == ["one"]
    del sys.modules["brings_one"]


def test_of_two_packages_that_announce_one_name_the_first_on_the_import_path_wins(tmp_path, monkeypatch):
    install(monkeypatch, tmp_path / "later", GROUP, project="later", one="json:dumps")
    install(monkeypatch, tmp_path / "sooner", GROUP, project="sooner", one="json:loads")
    assert [point.value for point in entry_points_of(GROUP)] == ["json:loads", "json:dumps"]
    assert entry_point(GROUP, "one").value == "json:loads"


@pytest.mark.parametrize(
    ("source", "value", "found"),
    [
        ("", "no_such_module_at_all:MEMBER", "ModuleNotFoundError: No module named 'no_such_module_at_all'"),
        ("", "breaks_on_load:MEMBER", "AttributeError: module 'breaks_on_load' has no attribute 'MEMBER'"),
        ("raise OSError('two\\nlines')", "breaks_on_load:MEMBER", "OSError: two lines"),
        ("def broken(:", "breaks_on_load:MEMBER", "SyntaxError: "),
    ],
)
def test_an_entry_point_that_does_not_load_is_bad_input_in_one_line(tmp_path, monkeypatch, source, value, found):
    (tmp_path / "breaks_on_load.py").write_text(source)
    install(monkeypatch, tmp_path, GROUP, one=value)
    with pytest.raises(BadInput) as caught:
        loaded(entry_point(GROUP, "one"))
    assert str(caught.value).startswith(f"entry point {value}: {found}")
    assert str(caught.value).endswith("; mend or remove it")
    assert "\n" not in str(caught.value)
    sys.modules.pop("breaks_on_load", None)


def test_an_escaped_effect_is_no_fault_of_the_entry_point():
    class Point:
        name = value = "one"

        def load(self):
            raise ReplayMiss("GET /", nearest=None, differs=(), record="record it")

    with pytest.raises(EffectEscape):
        loaded(Point())
