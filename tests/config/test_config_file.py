"""Configuration: where it is found, and what is said of a broken one."""

import os
from pathlib import Path

import pytest

from mendbench.config.config_file import load_config
from mendbench.config.shipped import shipped_root
from mendbench.errors import BadInput

SMALL = '[matrix]\nstrategies = ["none"]\npolicies = ["naive"]\n'


def loaded(tmp_path, text, name="mendbench.toml"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return load_config(tmp_path)


def test_a_small_file_is_filled_with_defaults(tmp_path):
    found = loaded(tmp_path, SMALL)
    assert (found.config.matrix.samples, found.config.matrix.repairers) == (1, ["rules"])
    assert (found.config.paths.cases, found.config.paths.out) == ("cases", "reports/latest")
    assert (found.root, found.place) == (tmp_path, str(tmp_path / "mendbench.toml"))


def test_a_file_without_a_matrix_runs_the_rule_book_and_one_with_models_asks_them(tmp_path):
    assert loaded(tmp_path, "format = 1\n").config.matrix.strategies == ["summary"]
    models = '[matrix]\nmodels = ["tiny"]\n[models.tiny]\n'
    assert loaded(tmp_path, models).config.matrix.repairers == ["chat"]


def test_a_table_in_pyproject_is_taken_where_there_is_no_file_of_our_own(tmp_path):
    table = SMALL.replace("[matrix]", "[tool.mendbench.matrix]")
    assert loaded(tmp_path, table, "pyproject.toml").place.endswith("pyproject.toml")
    assert loaded(tmp_path, SMALL).place.endswith("mendbench.toml")


@pytest.mark.parametrize("text", ["", "[tool.other]\na = 1\n"])
def test_without_either_the_shipped_one_holds(tmp_path, text):
    assert loaded(tmp_path, text, "pyproject.toml").root == shipped_root()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[matrix\n", "mendbench.toml:1:8: no TOML (Expected ']' at the end of a table declaration); mend the TOML"),
        (SMALL + "strategys = 1\n", "mendbench.toml: matrix.strategys: unknown key 'strategys'; did you mean 'strategies'?"),
        (SMALL + "[modles]\n", "mendbench.toml: modles: unknown key 'modles'; did you mean 'models'?"),
        (SMALL + "[models.tiny]\nbase_ulr = 'x'\n", "models.tiny.base_ulr: unknown key 'base_ulr'; did you mean 'base_url'?"),
        (SMALL + "strategys = 1\n[modles]\n", "mendbench.toml: matrix.strategys: unknown key 'strategys'; did you mean 'strategies'?; also wrong: modles"),
        (SMALL.replace('["none"]', '"none"'), "mendbench.toml: matrix.strategies: Input should be a valid list (found 'none')"),
        (SMALL.replace('["none"]', "[]"), "mendbench.toml: matrix.strategies: 0 given, at least 1 is needed"),
        (SMALL + "samples = 0\n", "mendbench.toml: matrix.samples: at least 1 is needed (found 0)"),
        ("format = 2\n" + SMALL, "mendbench.toml: format: format 2; this mendbench reads format 1"),
        (SMALL + "models = ['tiny']\n", "mendbench.toml: matrix.models: unknown model 'tiny'; known: none; or add a table [models.'tiny']"),
        (SMALL + "[report]\nmain = 'tiny'\n", "mendbench.toml: report.main: unknown key 'main'"),
        ("x = '\xff\n", "mendbench.toml: "),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line_that_names_the_file_and_the_place(tmp_path, text, said):
    with pytest.raises(BadInput) as raised:
        loaded(tmp_path, text)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_utf_8_is_reported(tmp_path):
    (tmp_path / "mendbench.toml").write_bytes(b"x = '\xff'\n")
    with pytest.raises(BadInput, match=r"mendbench\.toml: byte 5 is not UTF-8; save"):
        load_config(tmp_path)


PROGRAM = "[repairers.first]\ncommand = ['/a/mender', '--fast']\n[repairers.second]\n"
MODEL = "[models.tiny]\nbase_url = 'http://localhost:1/v1'\n[models.again]\nserved_as = 'tiny'\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PROGRAM + "command = ['/b/mender', '--fast']\n", "repairers.second: its responses are recorded as 'command:mender --fast', like those of 'first', but it has another command or timeout_s; give the program"),
        (PROGRAM + "command = ['/a/mender', '--fast']\ntimeout_s = 9.0\n", "repairers.second: its responses are recorded as 'command:mender --fast', like those of 'first'"),
        (MODEL, "models.again: its responses are recorded as 'tiny', like those of 'tiny', but it has another base_url, api_key_env, provider, timeout_s, concurrency or requests_per_minute; let both tables say the same"),
        (MODEL + "base_url = 'http://localhost:2/v1'\n", "models.again: its responses are recorded as 'tiny'"),
        *((MODEL + f"base_url = 'http://localhost:1/v1'\n{more}\n", "models.again: its responses are recorded as 'tiny'") for more in ("api_key_env = 'K'", "provider = 'p'", "timeout_s = 9.0", "concurrency = 2", "requests_per_minute = 60.0")),
    ],
)  # fmt: skip
def test_two_tables_under_one_recorded_name_that_are_asked_otherwise_are_refused(tmp_path, text, said):
    with pytest.raises(BadInput) as raised:
        loaded(tmp_path, SMALL + text)
    assert f"mendbench.toml: {said}" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_tables_under_one_recorded_name_that_are_asked_alike_are_taken(tmp_path):
    same = "base_url = 'http://localhost:1/v1'\nrecording = 1\nparameters = { temperature = 0 }\n"
    found = loaded(tmp_path, SMALL + MODEL + same + PROGRAM + "command = ['/a/mender', '--fast']\nwindow = 4096\n")
    assert (len(found.config.models), len(found.config.repairers)) == (2, 2)


def test_programs_that_differ_in_an_argument_are_two(tmp_path):
    assert len(loaded(tmp_path, SMALL + PROGRAM + "command = ['/a/mender']\n").config.repairers) == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a." * 20_000 + "a = 1", "nested too deeply"),
        ("a = " + "[" * 50_000, "a value that cannot be read|nested too deeply"),
        (
            "format = 1\n[models.m.parameters]\ntop_p = nan",
            "models.m.parameters.top_p: a number that JSON does not have",
        ),
        ("[models.m.parameters]\nseed = 2026-11-22", "models.m.parameters.seed: a date or a time"),
        ("__class__ = 1\n[matrix]\nstrategies = ['a']\npolicies = ['b']", "unknown key '__class__'"),
    ],
)
def test_what_toml_can_say_and_no_reader_could_use_is_one_line(tmp_path, text, says):
    (tmp_path / "mendbench.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=says) as raised:
        load_config(tmp_path)
    assert str(raised.value).isprintable()


def test_a_byte_order_mark_and_the_line_ends_of_another_system_are_read(tmp_path):
    (tmp_path / "mendbench.toml").write_bytes(b"\xef\xbb\xbf[matrix]\r\nstrategies = ['a']\r\npolicies = ['b']\r\n")
    assert load_config(tmp_path).config.matrix.policies == ["b"]


def test_a_pyproject_whose_tools_are_no_table_has_no_configuration_of_ours(tmp_path):
    (tmp_path / "pyproject.toml").write_text("tool = 3", encoding="utf-8")
    assert load_config(tmp_path).root != tmp_path


def test_dates_in_tables_of_other_tools_do_not_matter(tmp_path):
    table = "[tool.other]\nsince = 2024-05-01\n" + SMALL.replace("[matrix]", "[tool.mendbench.matrix]")
    assert loaded(tmp_path, table, "pyproject.toml").config.matrix.policies == ["naive"]


def test_the_nearest_configuration_above_a_folder_holds_in_it(tmp_path):
    loaded(tmp_path, SMALL.replace("naive", "all"))
    below = tmp_path / "project" / "cases" / "http"
    below.mkdir(parents=True)
    (below / "pyproject.toml").write_text("[tool.other]\na = 1\n", encoding="utf-8")
    assert load_config(below).config.matrix.policies == ["all"]
    loaded(tmp_path / "project", SMALL)
    found = load_config(below)
    assert (found.root, found.packaged) == (tmp_path / "project", False)
    assert (found.cases_dir, found.cassettes_dir) == (
        tmp_path / "project" / "cases",
        tmp_path / "project" / "cassettes",
    )


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_the_search_ends_at_the_root_of_the_repository(tmp_path, kind):
    loaded(tmp_path, SMALL)
    below = tmp_path / "repository" / "cases"
    below.mkdir(parents=True)
    mark = below.parent / ".git"
    mark.mkdir() if kind == "folder" else mark.write_text("gitdir: elsewhere\n", encoding="utf-8")
    found = load_config(below)
    assert (found.packaged, found.searched, found.root) == (True, below.parent, shipped_root())


def test_what_is_written_belongs_to_the_folder_of_the_configuration(tmp_path, monkeypatch):
    below = tmp_path / "cases" / "http"
    below.mkdir(parents=True)
    engine = "[engines.own]\ncommand = ['adapter']\ntraces = 'traces'\n"
    loaded(tmp_path, SMALL + "[gate]\nbaseline = '/kept/baseline.tsv'\n" + engine)
    for folder, up in ((tmp_path, ""), (below, "../../")):
        monkeypatch.chdir(folder)
        found = load_config()
        assert (found.out, found.baseline) == (Path(f"{up}reports/latest"), Path("/kept/baseline.tsv"))
        assert found.engines["own"].traces == f"{up}traces"


def test_the_outputs_of_the_packaged_configuration_belong_to_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert (load_config().out, load_config().baseline) == (Path("reports/latest"), Path("baseline.tsv"))


def test_a_configuration_of_another_user_does_not_hold_in_the_folders_below_it(tmp_path, monkeypatch):
    below = tmp_path / "cases"
    below.mkdir()
    loaded(tmp_path, SMALL)
    if os.geteuid() == 0:
        os.chown(tmp_path / "mendbench.toml", 4321, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 4321)
    with pytest.raises(BadInput, match="a configuration of another user, found above this folder; change to "):
        load_config(below)
    assert load_config(tmp_path).root == tmp_path
    monkeypatch.delattr(os, "geteuid")  # a system without user ids
    assert load_config(below).root == tmp_path
