"""Files with credentials: each kind of file, where it stands, and never what it is."""

import base64
import gzip
import hashlib
import json
from contextlib import nullcontext
from dataclasses import replace

import pytest

from mendbench.cassettes import cassette
from mendbench.corpus import credentials
from mendbench.corpus.credentials import (
    files_with_credentials,
    in_file,
    refuse_cases_with_credentials,
    refuse_credentials,
)
from mendbench.errors import BadInput
from mendbench.recording.recorder import Recorder
from mendbench.trial.components import BenchContext
from tests.fakes import cases
from tests.fakes.planted import record_credential

HEX = hashlib.sha256(b"an invented credential").hexdigest()[
    :40
]  # the same in all processes: it is in the names of tests
KEY = "gh" + "p_" + HEX[:36]


def findings(path):
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
def test_a_credential_is_reported_with_its_place_and_not_shown(tmp_path, name, text, place):
    (tmp_path / name).write_text(text, "utf-8")
    (found,) = findings(tmp_path / name)
    assert f"{tmp_path / name}{place}" in found


HAR = {
    "request": {
        "url": f"https://a.test/rows?access_token={HEX}",
        "headers": [
            {"name": "X-Api-Key", "value": "k-77aa88bb99cc00dd"},
            {"name": "Cookie", "value": "sid=abcd"},
            {"name": "Authorization", "value": "Basic dXNlcjpwYXNzd29yZA=="},
            {"name": "x-amz-security-token", "value": HEX},
        ],
        "cookies": [{"name": "sid", "value": "abcd", "path": "/", "expires": "2030-01-01T00:00:00Z"}],
        "queryString": [{"name": "access_token", "value": HEX}],
        "postData": {"params": [{"value": "hunter", "name": "password"}]},
    },
    "response": {"headers": [{"name": "Set-Cookie", "value": "sid=abcd; Path=/"}]},
}


@pytest.mark.parametrize("indent", [1, None])
def test_credentials_in_a_har_file_are_found_under_the_names_that_it_gives_them(tmp_path, indent):
    text = json.dumps(HAR, indent=indent)
    (tmp_path / "a.har").write_text(text, "utf-8")
    sent = [f"headers.{number}.value" for number in range(4)]
    ways = ["url", *sent, "cookies.0.value", "queryString.0.value", "postData.params.0.value"]
    found = [
        line.removeprefix(f"{tmp_path / 'a.har'}:").partition(": ")[2].partition(": ")[0]
        for line in findings(tmp_path / "a.har")
    ]
    assert found == [*(f"request.{way}" for way in ways), "response.headers.0.value"]


REPEATED = {
    "a.json": ('{"a": {"token": "X"},\n"b": {"token": "X"},\n"c": ["\\"", {"d": "p=1", "token": "X"}]}', [1, 2, 3]),
    "a.jsonl": ('{"token": "X"}\n\n{"n": 1}\n{"token": "X"}', [1, 4]),
    "a.yaml": ("a: X\ntoken: X\n---\nb:\n- {token: X}\n- token:\n    X\n", [2, 5, 7]),
    "b.yaml": ('ä: \u2028\na: |\n  k=1\n  token=X\n\n  token=X\nb: |2\n   {\n   "token": "X"}\n', [4, 6, 9]),
    "c.yaml": ("a: &a {token: X}\nb: *a\nc: {<<: *a}\nd: 'token=X # token=X'  # token=X\n", [1, 4, 4]),
    "a.txt": ("token=X\r\nk=1\r\ntoken=X\r\n", [1, 3]),
    "a.md": ('see {\n"name": "token",\n"value": "X"\n}', [3]),
    "a.toml": ('[a]\ntoken = "X"\nexpires = 3\nb.token = "X"\n', [2, 4]),
}


@pytest.mark.parametrize("name", REPEATED)
def test_equal_credentials_are_each_reported_with_their_own_line(tmp_path, name):
    text, lines = REPEATED[name]
    (tmp_path / name).write_bytes(text.replace("X", HEX).encode())
    assert [
        int(line.removeprefix(f"{tmp_path / name}:").partition(":")[0]) for line in findings(tmp_path / name)
    ] == lines


def test_cookies_are_found_where_vcrpy_keeps_them_and_in_a_command(tmp_path):
    text = "request:\n  headers:\n    Cookie:\n    - a=b\nresponse:\n  headers:\n    set-cookie:\n    - sid=a; Path=/\n    - b=c\n"
    (tmp_path / "a.yaml").write_text(text, "utf-8")
    (tmp_path / "a.md").write_text("curl -H 'Cookie: sid=abcd' https://a.test\n", "utf-8")
    assert [line.split(": ")[0].rpartition(":")[2] for line in findings(tmp_path / "a.yaml")] == ["4", "8", "9"]
    assert len(findings(tmp_path / "a.md")) == 1


def test_a_compressed_file_is_looked_into(tmp_path):
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(json.dumps({"token": HEX}).encode()))
    assert len(findings(tmp_path / "a.json.gz")) == 1


def test_a_compressed_file_that_is_not_looked_through_whole_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(credentials, "_MOST", 100)
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"a word " * 20 + f"token={HEX}".encode()))
    (line,) = findings(tmp_path / "a.txt.gz")
    assert "more than 100 bytes when unpacked, of which the first were looked at" in str(line)


@pytest.mark.parametrize(
    "value",
    [
        {"auth_token": "${token}", "password": "<secret:desk>", "api_key": "", "secret": "***"},
        {"inputs": {"token": {"type": "string", "description": "Bot token", "required": True}}},
        {"inputs": {"token": "${canary:desk}"}, "auth": {"header": "Authorization", "tokens": {"${canary:desk}": {}}}},
        {"Authorization": "Bearer ${token}", "url": "https://a.test/?access_token=${token}&page=2"},
        {
            "headers": [
                {"name": "X-Api-Key", "value": "${key}"},
                {"name": "Cookie", "value": "<secret:desk>"},
                {"name": "token", "value": "***"},
            ]
        },
        [
            {"name": "token_type", "value": "bearer"},
            {"name": "max_tokens", "value": "512"},
            {"name": "next_page_token", "value": "abc123def"},
        ],
        [
            {"name": "Secret Garden", "value": "a-novel-of-1911"},
            {"name": "SECRET", "value": "secret"},
            {"name": "cookie_consent", "value": "true"},
        ],
        [
            {"name": "password", "type": "string", "in": "query"},
            {"name": "token", "value": None},
            {"key": "author", "value": "k-77aa88bb"},
        ],
        {
            "said": 'Send Cookie: sid=… and `Cookie: sid=${sid}`, or the cookie: it is a=1.\napi_key_env = "DESK_KEY_2"\ntoken = next(2)'
        },
        {"prompt": "password: must have at least 8 characters", "max_tokens": 512, "next_page_token": "abc123def456"},
    ],
)
def test_templates_placeholders_and_declarations_are_none(tmp_path, value):
    (tmp_path / "a.json").write_text(json.dumps(value), "utf-8")
    assert findings(tmp_path / "a.json") == []


def test_a_folder_is_looked_through_and_a_path_that_is_not_there_is_reported(tmp_path):
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
    assert len(findings(path)) == 1


def test_a_file_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(credentials, "MAX_RECORDING", 1024)
    (tmp_path / "a.txt").write_text("x" * 1025, encoding="utf-8")
    with pytest.raises(BadInput, match=r"a\.txt: larger than 1 kB"):
        findings(tmp_path / "a.txt")


def test_a_case_with_a_credential_in_its_files_is_not_recorded(tmp_path):
    document = cases.workflow(f"Hello {KEY}")
    cases.write_case(tmp_path, cases.QUIET, cases.quiet_case(), document)
    case = BenchContext(cases_dir=tmp_path / "cases", cassettes_dir=tmp_path / "cassettes").corpus.case(cases.QUIET)
    with pytest.raises(BadInput, match=r"workflow\.json:\d+: nodes\.1\.params\.body\.text: a credential's shape"):
        Recorder("new_episodes").for_trial(case, None)
    assert Recorder("none").for_trial(case, None).mode == "none"
    with pytest.raises(BadInput):
        refuse_credentials(case)


@pytest.mark.parametrize(("said", "refused"), [(f"use\n{KEY}", True), (f"api_key={HEX}", False)])
def test_a_models_recorded_answers_are_refused_for_a_providers_shape_alone(tmp_path, said, refused):
    """A model makes up values under a credential's name."""
    root = cases.build(tmp_path)
    path = root / "cassettes" / cases.RENAMED / f"{cases.MODEL}.yaml"
    first, *others = cassette.load(path)
    response = replace(first.response, body=json.dumps({"said": said}).encode())
    cassette.rewrite(path, [replace(first, response=response), *others])
    with pytest.raises(BadInput, match=rf"{path.name}:\d+: a credential's shape") if refused else nullcontext():
        refuse_cases_with_credentials(cases.context_of(root).corpus, [cases.RENAMED])


def test_recordings_that_are_replaced_are_not_searched(tmp_path):
    root = cases.build(tmp_path)
    record_credential(root, cases.RENAMED)
    refuse_cases_with_credentials(cases.context_of(root).corpus, [cases.RENAMED], "all")
    with pytest.raises(BadInput, match=r"world\.yaml:\d+: "):
        refuse_cases_with_credentials(cases.context_of(root).corpus, [cases.RENAMED], "new_episodes")
