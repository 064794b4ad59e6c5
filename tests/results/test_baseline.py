import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.errors import BadInput
from mendbench.model.trial import TrialKey
from mendbench.results.baseline import (
    COLUMNS,
    baseline_of,
    digests_of,
    entry_of,
    fact_digest,
    read_baseline,
    render_baseline,
)
from mendbench.scoring.gating.result import Baseline, BaselineEntry
from mendbench.trial.row import trial_key
from tests.fakes.gates import DIGESTS, baseline, crashed, entry, facts, response
from tests.fakes.runs import key_of, repairable, repaired, row_of, small_run, trial, unjudged

HEAD = ("#", "format", "mendbench", "engine", "scorer", "price", "case")


@pytest.fixture
def file(tmp_path):
    """A baseline of two trials."""
    own = (response("0" * 8, "1" * 8), response("2" * 8, "3" * 8, asked=False))
    path = tmp_path / "baseline.tsv"
    path.write_text(render_baseline(baseline(entry("a", responses=own), crashed("b", responses=()))), encoding="utf-8")
    return path


def changed(path, before, after):
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")
    return path


def test_a_baseline_is_header_lines_and_one_sorted_line_a_trial(file):
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[0].split(" ")[0] for line in lines] == [*HEAD, "a", "b"]
    assert lines[6].split("\t") == list(COLUMNS)
    assert lines[7].split("\t") == [
        "a", "mendbench", "chat", "m", "summary", "two-layer", "structural", "0",
        "c1", "repairable", "correct", "repaired", "succeeded", "2", "0", "00000000:11111111,~22222222:33333333", "k1@30:r1",
        "100", "+aaaaaaaa", "1000",
    ]  # fmt: skip
    assert lines[8].split("\t")[10:16] == ["crashed", "-", "crashed", "0", "-", "-"]


def test_what_is_written_is_read_back(file):
    read = read_baseline(file)
    assert (read.version, read.digests) == ("1", DIGESTS)
    assert render_baseline(read) == file.read_text(encoding="utf-8")


def test_lines_may_stand_in_any_order_and_end_as_they_like(file):
    lines = file.read_text(encoding="utf-8").splitlines()
    other = file.with_name("other.tsv")
    other.write_bytes("\r\n".join([*lines[:7], lines[8], "", lines[7]]).encode())
    assert read_baseline(other).entries == read_baseline(file).entries


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1).filter(lambda text: text != "-")
DIGEST = st.text("0123456789abcdef", min_size=8, max_size=8)


@given(
    st.builds(TrialKey, case=NAMES.filter(lambda text: text[0] not in "#<=>|"), strategy=NAMES, policy=NAMES, repairer=NAMES, model=NAMES | st.none(), engine=NAMES, sample=st.integers(0, 99)),
    st.lists(st.builds(response, DIGEST, DIGEST, asked=st.booleans()), max_size=3),
    st.sampled_from(["", "0a1b2c3d@30:11111111,4e5f6a7b@0.5:22222222"]),
    st.sampled_from([(), facts(stated="a"), facts(stated="af", missing="0b")]),
)  # fmt: skip
def test_any_names_survive_the_file(tmp_path_factory, key, responses, exchanges, recall):
    one = BaselineEntry(
        key=trial_key(key), trial=key, case_digest="c", kind="control", verdict="correct", outcome="untouched", stop_reason="succeeded",
        attempts=len(responses), wasted=0, responses=tuple(responses), exchanges=exchanges, context_tokens=len(responses) or None,
        facts=recall, elapsed_ms=len(responses),
    )  # fmt: skip
    path = tmp_path_factory.mktemp("names") / "baseline.tsv"
    path.write_bytes(render_baseline(Baseline(place="x", version="1", digests=DIGESTS, entries=(one,))).encode())
    assert read_baseline(path).entries == (one,)


@pytest.mark.parametrize(
    ("before", "after", "place", "says"),
    [
        ("format\t4", "format\t3", ":2", "format '3'; this mendbench reads format 4; accept a run again with"),
        ("engine\t", "motor\t", ":4", "a line that begins with 'motor'"),
        ("scorer\t1.1\n", "", "", "no line that states 'scorer'"),
        ("\tcase_digest", "", ":7", "a line that begins with 'case'"),
        ("\t1000\nb", "\nb", ":8", "19 columns where 20 are due"),
        ("\t+aaaaaaaa\t", "\taaaaaaaa\t", ":8", "facts 'aaaaaaaa'; + or - and 8 hexadecimal digits are due"),
        ("\t100\t", "\tmany\t", ":8", "context_tokens 'many'; a whole number is due"),
        ("\tk1@30:r1\t", "\tk1@30\t", ":8", "exchanges 'k1@30'; REQUEST:RESPONSE is due"),
        ("\tcorrect\t", "\tunjudged\t", ":8", "verdict 'unjudged'; one of correct, incorrect, crashed is due"),
        ("\trepairable\tcorrect", "\tbroken\tcorrect", ":8", "kind 'broken'; one of repairable"),
        ("\trepaired\t", "\t-\t", ":8", "correct with outcome '-' and wasted '0'; only what crashed has neither"),
        ("\tsucceeded\t", "\tbored\t", ":8", "stop 'bored'"),
        ("\tstructural\t0\t", "\tstructural\tnone\t", ":8", "sample 'none'; a whole number is due"),
        ("\t2\t0\t", "\t3\t0\t", ":8", "3 attempts and 2 answers"),
        ("00000000:11111111", "00000000", ":8", "responses '00000000'; PROMPT:RESPONSE is due"),
        ("b\tmendbench", "a\tmendbench", ":9", "the trial of line 8 again; keep one of the two lines"),
        ("a\tmendbench", "<<<<<<< ours\na\tmendbench", ":8", "a merge conflict; resolve it"),
    ],
)
def test_what_cannot_be_read_is_reported_with_its_line_and_the_remedy(file, before, after, place, says):
    with pytest.raises(BadInput) as caught:
        read_baseline(changed(file, before, after))
    assert str(caught.value).startswith(f"{file}{place}: ")
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (None, "no such baseline; make it from a run"),
        (b"\xff", "byte 0 is not UTF-8"),
        (b"", "no line that states 'format'"),
    ],
)
def test_a_file_that_is_no_baseline_is_reported(tmp_path, data, says):
    path = tmp_path / "baseline.tsv"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(BadInput, match=says):
        read_baseline(path)


def test_a_run_makes_a_baseline_of_its_trials_that_have_a_verdict(tmp_path):
    case = repairable("open")
    run = small_run(extra=[row_of(case, repaired(), key_of(case), problem=unjudged())])
    made = baseline_of(run, tmp_path / "b.tsv")
    assert {one.key for one in made.entries} == {row["key"] for row in run.rows if row["verdict"] != "unjudged"}
    assert made.digests == digests_of(run.run)


def test_an_answer_that_was_recorded_again_is_seen_under_the_same_ask():
    case = repairable()
    one, two = (entry_of(row_of(case, repaired(response=text), key_of(case))[0]) for text in ("{}", "{ }"))
    assert one.responses[0].prompt == two.responses[0].prompt
    assert one.responses[0].response != two.responses[0].response


def test_a_prompt_that_nobody_was_asked_is_reported_by_its_own_digest():
    case = repairable()
    entries = []
    for context in ("the API answers `name`", "the API answers nothing"):
        happened, variant = repaired(context=context)
        (first,) = happened.attempts
        unrequested_writes = type(first)(
            **{name: getattr(first, name) for name in first.__slots__} | {"reply": type(first.reply)(text="{}")}
        )
        entries.append(
            entry_of(
                row_of(case, (trial(unrequested_writes, stop="succeeded"), variant), key_of(case, repairer="rules"))[0]
            )
        )
    assert [one.responses[0].asked for one in entries] == [False, False]
    assert entries[0].responses[0].prompt != entries[1].responses[0].prompt
    assert entries[0].responses[0].response == entries[1].responses[0].response


def test_the_first_prompt_and_the_time_of_a_trial_are_kept():
    case = repairable()
    row, _ = row_of(case, repaired(), key_of(case))
    row["first"]["duration_ms"], row["attempts"][0]["elapsed_ms"] = 1500, 2000
    row["attempts"][0]["execution"]["duration_ms"] = 250
    row["attempts"][0] |= {"context_tokens": 40, "facts": {"found": ["name"], "missing": ["id"]}}
    one = entry_of(row)
    assert (one.context_tokens, one.elapsed_ms) == (40, 3750)
    assert {fact.digest: fact.stated for fact in one.facts} == {fact_digest("name"): True, fact_digest("id"): False}
    none = entry_of({**row, "attempts": []})
    assert (none.context_tokens, none.facts, none.elapsed_ms) == (None, (), 1500)


def test_prices_are_distinguished_by_who_is_paid():
    priced = digests_of(
        {"digests": {"engine": "e", "scorer": "1.1", "prices": {"b": {"source": "x"}, "a": {"source": "y"}}}}
    )
    assert [name for name, _ in priced.prices] == ["a", "b"]
    assert digests_of({"digests": {}}).scorer == "-"
