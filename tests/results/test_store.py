"""The folder of a run: appended to, sorted and swapped into place, and resumed."""

import errno
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.errors import BadInput, CheckFailed
from mendbench.io.canonical_json import digest
from mendbench.io.files import LEFT
from mendbench.io.reading import MAX_RUN
from mendbench.results.store import open_run, read_run
from mendbench.trial.long_texts import whole
from mendbench.trial.row import FORMAT
from tests.fakes import runs

PLAN = {"keys": ["a", "b", "c"]}
DOCUMENT = {"format": FORMAT, "trials": 3, "totals": [], "bounds": {"unjudged": 0, "crashed": 0}}


def row(name, **more):
    case = runs.repairable()
    made = whole(*runs.row_of(case, runs.unrepaired(), runs.key_of(case)))
    return {**made, "case": name, "key": made["key"].replace(made["case"], name), **more}


def key(name):
    return row(name)["key"]


TEXTS = {digest(text.encode()): text for text in ("ä" * 30, "two\u2028lines \x85 of text")}
D1, D2 = TEXTS
ROWS = [
    (row("b", response={"$text": D2}), {D2: TEXTS[D2]}),
    (row("a", response={"$text": D1}, again={"$text": D2}), TEXTS),
    (row("c", response="short"), {}),
]


@pytest.fixture
def place(tmp_path):
    return tmp_path / "reports" / "latest"


def partial_of(place):
    return place.with_name(f".{place.name}.partial")


def write(place, rows=ROWS, *, resume=False, plan=PLAN, files=None, notes=None):
    with open_run(place, plan, resume=resume, on_note=[].append if notes is None else notes.append) as folder:
        for row, texts in rows:
            folder.add(row, texts)
        return folder.finish({**DOCUMENT, "trials": len(rows)}, files or {})


def interrupt(place, rows=ROWS[:2]):
    with pytest.raises(KeyboardInterrupt), open_run(place, PLAN, resume=False) as folder:
        for row, texts in rows:
            folder.add(row, texts)
        raise KeyboardInterrupt


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def refusal(place, **words):
    with pytest.raises(BadInput) as raised, open_run(place, words.pop("plan", PLAN), **{"resume": False, **words}):
        pytest.fail("the folder was not refused")
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_rows_stand_in_the_file_as_soon_as_they_are_added(place):
    with open_run(place, PLAN, resume=False) as folder:
        folder.add(*ROWS[0])
        assert lines(partial_of(place) / "trials.jsonl") == [ROWS[0][0]]
        assert lines(partial_of(place) / "texts.jsonl") == [{"digest": D2, "text": TEXTS[D2]}]
        folder.add(*ROWS[1])
        assert [row["case"] for row in lines(partial_of(place) / "trials.jsonl")] == ["b", "a"]


def test_a_finished_run_is_sorted_and_read_back_whole(place):
    written = write(place)
    stored = read_run(place)
    assert [row["case"] for row in stored.rows] == ["a", "b", "c"]
    assert stored.texts == TEXTS
    assert (stored.rows, stored.run) == (written.rows, DOCUMENT)
    assert sorted(path.name for path in place.iterdir()) == ["run.json", "texts.jsonl", "trials.index", "trials.jsonl"]
    assert not partial_of(place).exists()


def test_a_text_stands_once_however_many_rows_have_it(place):
    write(place)
    assert [line["digest"] for line in lines(place / "texts.jsonl")] == sorted(TEXTS)


def test_the_order_in_which_trials_finish_changes_no_byte(place):
    write(place)
    write(place.with_name("other"), ROWS[::-1])
    for name in ("trials.jsonl", "texts.jsonl", "run.json"):
        assert (place / name).read_bytes() == (place.with_name("other") / name).read_bytes()


def test_a_complete_run_is_replaced_whole(place):
    write(place, files={"index.html": "<p>"})
    assert (place / "index.html").read_text() == "<p>"
    write(place, ROWS[2:])
    assert [row["case"] for row in read_run(place).rows] == ["c"]
    assert not (place / "index.html").exists()
    assert [path.name for path in place.parent.iterdir()] == [place.name]


def test_a_complete_run_stays_until_the_next_one_is_complete(place):
    write(place)
    interrupt(place)
    assert len(read_run(place).rows) == 3


def test_a_run_goes_on_from_an_interrupted_one_of_the_same_plan_and_says_so(place):
    interrupt(place)
    notes = []
    assert len(write(place, ROWS[2:], notes=notes).rows) == 3
    assert notes == [
        f"{place}: goes on from an interrupted run (trials done: 2); delete {partial_of(place)} to begin again"
    ]


def test_a_run_replaces_an_interrupted_one_of_another_plan_and_says_what_changed(place):
    plan = {"options": {"names": []}, "digests": {"cases": "1", "frame": "1"}}
    with pytest.raises(KeyboardInterrupt), open_run(place, plan, resume=False) as folder:
        folder.add(*ROWS[0])
        raise KeyboardInterrupt
    notes, now = [], {"options": {"names": ["http"]}, "digests": {"cases": "2", "frame": "1"}}
    assert [row["case"] for row in write(place, ROWS[2:], plan=now, notes=notes).rows] == ["c"]
    assert notes == [f"{place}: replaces an interrupted run; changed since that began: cases, options"]


def test_an_interrupted_run_without_a_trial_is_replaced_without_a_word(place):
    interrupt(place, [])
    notes = []
    write(place, plan={"keys": []}, notes=notes)
    interrupt(place, [])
    write(place, notes=notes)
    assert notes == []


def test_an_unfinished_run_is_resumed_where_it_stopped(place):
    interrupt(place)
    with open_run(place, PLAN, resume=True) as folder:
        assert folder.done() == {key("a"), key("b")}
        folder.add(*ROWS[2])
        folder.finish(DOCUMENT, {})
    write(place.with_name("other"))
    for name in ("trials.jsonl", "texts.jsonl", "run.json"):
        assert (place / name).read_bytes() == (place.with_name("other") / name).read_bytes()


def test_there_has_to_be_something_to_resume(place):
    assert "no unfinished run to resume; start one without --resume" in refusal(place, resume=True)
    write(place)
    assert "no unfinished run to resume" in refusal(place, resume=True)


def test_a_run_is_resumed_only_with_the_plan_that_it_began_with(place):
    interrupt(place)
    message = refusal(place, plan={"keys": ["a"]}, resume=True)
    assert message == (
        f"{place}: changed since the interrupted run began: keys; give the command without --resume to begin again"
    )
    (partial_of(place) / "plan.json").write_text("{torn", encoding="utf-8")
    assert "no unfinished run to resume" in refusal(place, resume=True)


def test_rows_without_a_plan_are_nobodys(place):
    interrupt(place)
    (partial_of(place) / "plan.json").unlink()
    assert [row["case"] for row in write(place, ROWS[2:]).rows] == ["c"]


@pytest.mark.parametrize("resume", [False, True])
def test_a_run_that_is_being_written_is_refused(place, resume):
    with open_run(place, PLAN, resume=False) as folder:
        folder.add(*ROWS[0])
        assert "another run is writing it; wait" in refusal(place, resume=resume)
        assert folder.done() == {key("b")}
        assert lines(partial_of(place) / "trials.jsonl") == [ROWS[0][0]]


def test_a_folder_with_something_else_in_it_is_refused_and_left_alone(place):
    place.mkdir(parents=True)
    (place / "thesis.txt").write_text("mine", encoding="utf-8")
    assert "it holds 'thesis.txt', which is of no run; choose another folder with --out" in refusal(place)
    assert (place / "thesis.txt").read_text() == "mine"
    assert not partial_of(place).exists()


def test_a_run_beside_which_somebody_put_something_else_is_refused_and_left_alone(place):
    write(place)
    (place / "thesis.txt").write_text("mine", encoding="utf-8")
    assert "it holds 'thesis.txt'" in refusal(place)
    assert (place / "thesis.txt").read_text() == "mine"


def test_a_file_in_place_of_the_folder_is_refused_and_left_alone(place):
    place.parent.mkdir()
    place.write_text("mine", encoding="utf-8")
    assert "choose another folder with --out" in refusal(place)
    assert place.read_text() == "mine"


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    assert "choose another folder with --out" in refusal(tmp_path / "file" / "latest")


@pytest.mark.parametrize("name", [".", "/", ".."])
def test_a_folder_without_a_name_of_its_own_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    assert "name another one with --out" in refusal(type(tmp_path)(name))


def test_an_empty_folder_is_taken(place):
    place.mkdir(parents=True)
    write(place)
    assert len(read_run(place).rows) == 3


def test_bad_input_before_the_first_trial_leaves_nothing_behind(place):
    with pytest.raises(CheckFailed), open_run(place, PLAN, resume=False):
        raise CheckFailed("no")
    assert not place.exists()
    assert not partial_of(place).exists()


def test_a_recording_that_ended_before_its_first_trial_can_be_resumed(place):
    with pytest.raises(CheckFailed), open_run(place, PLAN, resume=False) as folder:
        folder.record(everything=False)
        raise CheckFailed("no")
    assert len(write(place, resume=True).rows) == 3


def test_the_journal_of_a_recording_of_everything_goes_only_when_such_a_recording_is_finished(place):
    with pytest.raises(KeyboardInterrupt), open_run(place, PLAN, resume=False) as folder:
        folder.record(everything=True)
        folder.journal.write_text("one response\n", encoding="utf-8")
        raise KeyboardInterrupt
    write(place, plan={"keys": []})
    assert folder.journal.read_text(encoding="utf-8") == "one response\n"
    with open_run(place, PLAN, resume=False) as folder:
        folder.record(everything=True)
        folder.finish({**DOCUMENT, "trials": 0}, {})
    assert names(place.parent) == ["latest"]


def test_what_was_overtaken_goes_with_the_error_that_says_so(place):
    with pytest.raises(CheckFailed), open_run(place, PLAN, resume=False) as folder:
        folder.add(*ROWS[0])
        folder.overtake()
        raise CheckFailed("no")
    assert not partial_of(place).exists()


def test_bad_input_after_the_first_trial_keeps_what_was_done(place):
    with pytest.raises(CheckFailed), open_run(place, PLAN, resume=False) as folder:
        folder.add(*ROWS[0])
        raise CheckFailed("no")
    with open_run(place, PLAN, resume=True) as folder:
        assert folder.done() == {key("b")}


@given(cut=st.integers(0, 200), which=st.sampled_from(["trials.jsonl", "texts.jsonl"]))
def test_wherever_an_append_was_torn_off_every_row_is_whole_or_run_again(tmp_path_factory, cut, which):
    place = tmp_path_factory.mktemp("torn") / "latest"
    interrupt(place, ROWS)
    torn = partial_of(place) / which
    torn.write_bytes(torn.read_bytes()[:cut])
    known = {row["key"]: (row, texts) for row, texts in ROWS}
    with open_run(place, PLAN, resume=True) as folder:
        for row in folder.rows():
            assert row == known[row["key"]][0]
        for name in sorted(known.keys() - folder.done()):
            folder.add(*known[name])
        folder.finish(DOCUMENT, {})
    stored = read_run(place)
    assert [row["case"] for row in stored.rows] == ["a", "b", "c"]
    assert stored.texts == TEXTS


def test_what_was_appended_after_a_torn_line_stands_on_a_line_of_its_own(place):
    interrupt(place, ROWS[:1])
    with (partial_of(place) / "trials.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"key": "a", "ans')
    with open_run(place, PLAN, resume=True) as folder:
        folder.add(*ROWS[1])
        assert [row["case"] for row in lines(partial_of(place) / "trials.jsonl")] == ["b", "a"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("run.json", "{", "run.json:1:2: no JSON ("),
        ("run.json", "[]", "run.json: no JSON object"),
        (
            "run.json",
            '{"format": 99}',
            f"run.json: format: 99; this mendbench reads format {FORMAT}: make the run again with",
        ),
        ("trials.jsonl", '{"key": "a"}\n{"key', "trials.jsonl:2:2: no JSON ("),
        ("trials.jsonl", '{"key": "a"}\n7\n', "trials.jsonl:2: no JSON object"),
        ("trials.jsonl", '{"key": "a"}\n', "trials.jsonl:1: case: missing"),
        ("trials.jsonl", '{"key": "a"}\n{}\n{}\n', "trials.jsonl:1: case: missing"),
        ("trials.jsonl", '{"title": "\\ud800"}\n', "trials.jsonl:1: half a character"),
        ("trials.jsonl", '{"cost": NaN}\n', "trials.jsonl:1: NaN is no JSON number"),
        ("texts.jsonl", "", f"trials.jsonl:1: the text {D1} is not in texts.jsonl"),
        ("texts.jsonl", '{"digest": "d"}\n', "texts.jsonl:1: text: missing"),
        (
            "texts.jsonl",
            f'{{"digest": "{D1}", "text": "other"}}\n',
            "texts.jsonl:1: a text other than that of its digest",
        ),
        ("texts.jsonl", None, "texts.jsonl: no such file"),
    ],
)
def test_a_broken_run_is_one_line_that_names_the_file_and_the_line(place, name, text, said):
    write(place)
    if text is None:
        (place / name).unlink()
    else:
        (place / name).write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as raised:
        read_run(place)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_folder_without_a_run_says_how_to_make_one(tmp_path):
    with pytest.raises(BadInput, match="no run is in it; make one with `mendbench run`"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: [rows[0], rows[0], rows[2]], "trials.jsonl:2: the same trial once more"),
        (lambda rows: [rows[1], rows[0], rows[2]], "trials.jsonl:2: a trial before one that it comes after"),
        (lambda rows: [{**rows[0], "policy": "warn"}, *rows[1:]], "of another trial than its fields"),
        (lambda rows: [{**rows[0], "verdict": None}, *rows[1:]], "trials.jsonl:1: verdict: None"),
        (lambda rows: [{**rows[0], "attempts": "x"}, *rows[1:]], "trials.jsonl:1: attempts: 'x', where a list is due"),
        (lambda rows: [{**rows[0], "nodes": {"a": {}}}, *rows[1:]], "trials.jsonl:1: nodes.a.expected: missing"),
        (lambda rows: rows[1:], "trials.jsonl: 2 lines of 3 trials"),
    ],
)
def test_a_run_that_was_tampered_with_is_refused(place, change, said):
    write(place)
    path = place / "trials.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in change(lines(path))), encoding="utf-8")
    with pytest.raises(BadInput) as raised:
        read_run(place)
    assert said in str(raised.value)
    assert str(raised.value).endswith("; make the run again with `mendbench run`")


def names(folder):
    return sorted(each.name for each in folder.iterdir())


def killed_after_the_swap(place):
    write(place)
    (place / "plan.json").write_text(json.dumps(PLAN), encoding="utf-8")


def test_a_run_that_was_killed_after_the_swap_is_there_and_can_be_resumed_and_replaced(place):
    killed_after_the_swap(place)
    assert len(read_run(place).rows) == 3
    assert "changed since the interrupted run began: keys" in refusal(place, plan={"keys": []}, resume=True)
    with open_run(place, PLAN, resume=True) as folder:
        assert len(folder.done()) == 3
        folder.finish(DOCUMENT, {})
    assert names(place) == ["run.json", "texts.jsonl", "trials.index", "trials.jsonl"]
    assert names(place.parent) == ["latest"]
    killed_after_the_swap(place)
    assert len(write(place, ROWS[2:]).rows) == 1


def test_what_a_killed_process_left_in_a_run_or_beside_it_is_not_stumbled_over(place):
    write(place)
    (place / f".index.html.abcdefgh{LEFT}").write_text("<p", encoding="utf-8")
    place.with_name(".latest.lock").touch()
    partial_of(place).mkdir()
    (partial_of(place) / "index.html").touch()
    write(place)
    assert names(place) == ["run.json", "texts.jsonl", "trials.index", "trials.jsonl"]
    assert names(place.parent) == ["latest"]


def test_what_is_put_together_of_other_runs_is_begun_again(place):
    merged = {"merged": [1, 2]}
    with pytest.raises(KeyboardInterrupt), open_run(place, merged, resume=False) as folder:
        folder.add(*ROWS[0])
        raise KeyboardInterrupt
    assert "no unfinished run to resume" in refusal(place, plan=merged, resume=True)
    assert [row["case"] for row in write(place, ROWS[2:], plan=merged).rows] == ["c"]


def test_what_somebody_put_into_the_place_meanwhile_stays_and_the_trials_wait(place):
    with (
        pytest.raises(BadInput, match=r"it holds 'thesis\.txt', which is of no run"),
        open_run(place, PLAN, resume=False) as folder,
    ):
        folder.add(*ROWS[0])
        place.mkdir()
        (place / "thesis.txt").write_text("mine", encoding="utf-8")
        folder.finish(DOCUMENT, {})
    assert (place / "thesis.txt").read_text() == "mine"
    (place / "thesis.txt").unlink()
    with open_run(place, PLAN, resume=True) as folder:
        assert folder.done() == {key("b")}


@pytest.mark.parametrize("done", [0, 1])
def test_a_disk_that_is_full_is_one_line_and_what_was_done_waits(place, monkeypatch, done):
    def full(_handle, _data):
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(BadInput) as raised, open_run(place, PLAN, resume=False) as folder:
        for row in ROWS[:done]:
            folder.add(*row)
        with monkeypatch.context() as patched:
            patched.setattr(os, "write", full)
            folder.add(*ROWS[done])
    kept = f"make room; what was done waits for `mendbench run --resume {place}`"
    hint = kept if done else "make room, or choose another folder with --out"
    assert str(raised.value) == f"{place}: No space left on device; {hint}"
    assert partial_of(place).exists() == bool(done)
    if done:
        assert len(lines(partial_of(place) / "trials.jsonl")) == 1


def no_more(monkeypatch, name):
    """Let the disk be full for one of the files of the run that is written."""
    write = os.write

    def full(handle, data):
        if Path(f"/proc/self/fd/{handle}").readlink().name == name:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(handle, data)

    monkeypatch.setattr(os, "write", full)


@pytest.mark.parametrize("name", ["trials.jsonl", "texts.jsonl"])
def test_a_trial_for_which_there_was_no_room_can_be_added_later(place, monkeypatch, name):
    with open_run(place, PLAN, resume=False) as folder:
        folder.add(*ROWS[0])
        with monkeypatch.context() as patched:
            no_more(patched, name)
            with pytest.raises(BadInput, match="what was done waits"):
                folder.add(*ROWS[1])
        assert folder.done() == {key("b")}
        assert [row["case"] for row in folder.rows()] == ["b"]
        assert dict(folder.texts()) == {D2: TEXTS[D2]}
        for added in ROWS[1:]:
            folder.add(*added)
        folder.finish(DOCUMENT, {})
    stored = read_run(place)
    assert [row["case"] for row in stored.rows] == ["a", "b", "c"]
    assert stored.texts == TEXTS
    assert len(lines(place / "texts.jsonl")) == len(TEXTS)


def broken_page():
    yield "<p>"
    raise CheckFailed("no page")


def full_page():
    yield "<p>"
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    ("page", "said"), [(broken_page, "no page"), (full_page, "No space left on device; make room; what")]
)
def test_a_page_that_cannot_be_made_leaves_the_run_of_before_and_the_trials_wait(place, page, said):
    write(place, ROWS[2:], files={"index.html": "<p>old"})
    with pytest.raises((BadInput, CheckFailed), match=said), open_run(place, PLAN, resume=False) as folder:
        for added in ROWS:
            folder.add(*added)
        folder.finish(DOCUMENT, {"index.html": page()})
    assert len(read_run(place).rows) == 1
    assert (place / "index.html").read_text() == "<p>old"
    assert "index.html" not in names(partial_of(place))
    assert not [name for name in names(partial_of(place)) if name.endswith(LEFT)]
    assert dict(folder.texts()) == TEXTS
    with open_run(place, PLAN, resume=True) as folder:
        assert len(folder.done()) == 3
        folder.finish(DOCUMENT, {"index.html": "<p>new"})
    assert len(read_run(place).rows) == 3
    assert (place / "index.html").read_text() == "<p>new"


def test_a_byte_order_mark_and_other_ends_of_lines_are_read_over(place):
    write(place)
    for name in ("trials.jsonl", "texts.jsonl"):
        path = place / name
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    stored = read_run(place)
    assert [row["case"] for row in stored.rows] == ["a", "b", "c"]
    assert stored.texts == TEXTS


@pytest.mark.parametrize("name", ["trials.jsonl", "texts.jsonl", "run.json"])
def test_a_file_of_a_run_that_is_no_file_of_text_is_one_line(place, name):
    write(place)
    (place / name).write_bytes(b'{"format": "\xff')
    with pytest.raises(BadInput, match=f"{name}: byte 12 is not UTF-8; make the run again"):
        read_run(place)


@pytest.mark.parametrize("name", ["trials.jsonl", "texts.jsonl"])
def test_a_file_of_a_run_that_is_too_large_is_refused_unread(place, name):
    write(place)
    with (place / name).open("r+b") as file:
        file.truncate(MAX_RUN + 1)
    with pytest.raises(BadInput, match=f"{name}: larger than 2048 MB; take out what need not be in it"):
        read_run(place)
    partial = partial_of(place)
    place.rename(partial)
    (partial / "plan.json").write_text(json.dumps(PLAN), encoding="utf-8")
    assert f"{name}: larger than 2048 MB" in refusal(place, resume=True)
    assert (partial / name).stat().st_size > MAX_RUN


def test_a_file_of_a_run_that_is_a_folder_is_one_line(place):
    write(place)
    (place / "trials.jsonl").unlink()
    (place / "trials.jsonl").mkdir()
    with pytest.raises(BadInput, match=r"trials\.jsonl: Is a directory; make the run again"):
        read_run(place)


def test_of_what_an_interrupted_run_left_only_trials_are_taken(place):
    interrupt(place, ROWS)
    path = partial_of(place) / "trials.jsonl"
    first, second, third = path.read_text(encoding="utf-8").splitlines()
    other = json.dumps({**json.loads(second), "verdict": 7})
    path.write_text(f'{first}\n7\n{{}}\n{other}\n{third}\n{third}\n{{"key', encoding="utf-8")
    with open_run(place, PLAN, resume=True) as folder:
        assert folder.done() == {key("b"), key("c")}
        assert len(folder.rows()) == 2
        folder.add(*ROWS[1])
        folder.finish(DOCUMENT, {})
    assert [row["case"] for row in read_run(place).rows] == ["a", "b", "c"]
