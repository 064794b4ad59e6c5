"""Files with credentials: each kind of file, where it stands, and never what it is."""

import base64
import gzip
import hashlib
import json

import pytest

from mendbench.bench import credentials
from mendbench.bench.credentials import files_with_credentials, in_file, refuse_credentials
from mendbench.bench.parts import Setting
from mendbench.bench.recorder import Recorder
from mendbench.errors import BadInput
from tests.fakes import cases

HEX = hashlib.sha256(b"an invented credential").hexdigest()[
    :40
]  # the same in all processes: it is in the names of tests
KEY = "gh" + "p_" + HEX[:36]


def told(path):
    found = [str(one) for one in in_file(path)]
    assert not any(HEX[:12] in line for line in found)
    return found


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("a.json", json.dumps({"n": 1, "deep": [{"said": f"used {KEY}"}]}, indent=1), ":5: deep.0.said: "),
        ("a.yaml", f"n: 1\npassword: {HEX}\n", ":2: password: "),
        ("a.yaml", f"n: 1\nsaid: {base64.b64encode(f'k={KEY}'.encode()).decode()}\n", ":2: said: "),
        ("a.yaml", f"n: 1\nm: 2  # used {KEY} once\n", ":2: "),
        ("a.yaml", f"n: |\n  one\n  # used {KEY} once\n", ":3: n: "),
        ("a.jsonl", f'{{"n": 1}}\n{{"headers": {{"X-Api-Key": "{HEX}"}}}}\n', ":2: headers.X-Api-Key: "),
        ("a.txt", f"one\ntwo\nDB_PASSWORD={HEX}\n", ":3: "),
        ("a.json", f"{{torn {KEY}", ":1: "),
    ],
)
def test_a_credential_is_told_with_its_place_and_not_shown(tmp_path, name, text, place):
    (tmp_path / name).write_text(text, "utf-8")
    (found,) = told(tmp_path / name)
    assert f"{tmp_path / name}{place}" in found


def test_a_compressed_file_is_looked_into(tmp_path):
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(json.dumps({"token": HEX}).encode()))
    assert len(told(tmp_path / "a.json.gz")) == 1


def test_a_compressed_file_that_is_not_looked_through_whole_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(credentials, "_MOST", 100)
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"a word " * 20 + f"token={HEX}".encode()))
    (line,) = told(tmp_path / "a.txt.gz")
    assert "more than 100 bytes when unpacked, of which the first were looked at" in str(line)


@pytest.mark.parametrize(
    "value",
    [
        {"auth_token": "${token}", "password": "<secret:desk>", "api_key": "", "secret": "***"},
        {"inputs": {"token": {"type": "string", "description": "Bot token", "required": True}}},
        {"inputs": {"token": "${canary:desk}"}, "auth": {"header": "Authorization", "tokens": {"${canary:desk}": {}}}},
        {"Authorization": "Bearer ${token}", "url": "https://a.test/?access_token=${token}&page=2"},
        {"prompt": "password: must have at least 8 characters", "max_tokens": 512, "next_page_token": "abc123def456"},
    ],
)
def test_templates_placeholders_and_declarations_are_none(tmp_path, value):
    (tmp_path / "a.json").write_text(json.dumps(value), "utf-8")
    assert told(tmp_path / "a.json") == []


def test_a_folder_is_looked_through_and_a_path_that_is_not_there_is_told(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.txt").write_text(KEY, "utf-8")
    assert len(list(files_with_credentials((tmp_path,)))) == 1
    with pytest.raises(BadInput, match=r"none\.json: no such file"):
        list(files_with_credentials((tmp_path / "none.json",)))


@pytest.mark.parametrize(
    "text",
    [
        "".join([f"n0: &n0 {['x'] * 9}\n", *(f"n{at}: &n{at} [{', '.join([f'*n{at - 1}'] * 9)}]\n" for at in range(1, 12))]),
        "a: &a [*a]\n", "a: &a {b: *a}\n", "[" * 20_000,
    ],
    ids=["swollen", "a list in itself", "an object in itself", "deep"],
)  # fmt: skip
def test_yaml_that_is_refused_is_looked_through_as_text(tmp_path, text):
    path = tmp_path / "bomb.yaml"
    path.write_text(f"{text}\n# password: {HEX}\n", encoding="utf-8")
    assert len(told(path)) == 1


def test_a_file_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(credentials, "MAX_RECORDING", 1024)
    (tmp_path / "a.txt").write_text("x" * 1025, encoding="utf-8")
    with pytest.raises(BadInput, match=r"a\.txt: larger than 1 kB"):
        told(tmp_path / "a.txt")


def test_a_case_with_a_credential_in_its_files_is_not_recorded(tmp_path):
    document = cases.workflow(f"Hello {KEY}")
    cases.write_case(tmp_path, cases.QUIET, cases.quiet_case(), document)
    case = Setting(cases_dir=tmp_path / "cases", cassettes_dir=tmp_path / "cassettes").corpus.case(cases.QUIET)
    with pytest.raises(BadInput, match=r"workflow\.json:\d+: nodes\.1\.params\.body\.text: a credential's shape"):
        Recorder("new_episodes").for_trial(case, None)
    assert Recorder("none").for_trial(case, None).mode == "none"
    with pytest.raises(BadInput):
        refuse_credentials(case)
