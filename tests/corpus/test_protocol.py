"""The protocol: what was settled beforehand, and what has changed since."""

import hashlib

import pytest

from mendbench.config.shipped import shipped_root
from mendbench.corpus.protocol import FILE, prompt_digests, read_protocols
from mendbench.errors import BadInput
from mendbench.repair.policies import policy, policy_names
from mendbench.strategies import strategies
from mendbench.strategies.frame import frame_digest

GOOD = """\
format: 1
model: m
part: test
contrasts:
  - {name: one, measure: repair_success, treatment: {strategy: a, policy: naive}, against: {best_of: [b], policy: naive}}
frozen: {frame: f, strategies: {a: "1", b: "2"}}
"""


def read(tmp_path, text=GOOD):
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    return read_protocols(tmp_path)["protocol"]


def test_a_corpus_without_the_file_has_none(tmp_path):
    assert read_protocols(tmp_path) == {}


def test_nothing_has_changed_while_all_digests_are_equal(tmp_path):
    assert read(tmp_path).changed("f", {"a": "1"}, {}, "1") == {"frame": False, "scorer": False, "strategies": []}


def test_what_has_another_digest_now_is_named(tmp_path):
    assert read(tmp_path).changed("g", {"a": "1", "b": "3"}, {}, "3.2") == {
        "frame": True,
        "scorer": False,
        "strategies": ["b"],
    }


def test_another_scorer_than_the_frozen_one_is_a_change(tmp_path):
    pinned = read(tmp_path, GOOD.replace("{frame: f,", '{frame: f, scorer: "3.1",'))
    assert pinned.changed("f", {}, {}, "3.2")["scorer"]
    assert not pinned.changed("f", {}, {}, "3.1")["scorer"]


def test_protocols_come_in_the_order_of_their_numbers(tmp_path):
    for name in ("protocol-10.yaml", "protocol-2.yaml", "protocol.yaml"):
        (tmp_path / name).write_text(GOOD, encoding="utf-8")
    assert [*read_protocols(tmp_path)] == ["protocol", "protocol-2", "protocol-10"]


def test_a_strategy_that_was_not_frozen_has_not_changed(tmp_path):
    assert read(tmp_path).changed("f", {"mine": "9"}, {}, "3.2")["strategies"] == []


def test_before_anything_is_frozen_nothing_has_changed(tmp_path):
    assert read(tmp_path, GOOD.split("frozen", maxsplit=1)[0]).changed("g", {"a": "9"}, {}, "3.2") == {
        "frame": False,
        "scorer": False,
        "strategies": [],
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GOOD.replace("format: 1", "format: 2"), "protocol.yaml: format: format 2; this mendbench reads format 1"),
        (GOOD.replace("model", "modle", 1), "protocol.yaml:2:1: modle: unknown key 'modle'; did you mean 'model'?"),
        (
            GOOD.replace("repair_success", "luck"),
            "protocol.yaml:5:17: contrasts.0.measure: unknown value 'luck'; known: ",
        ),
        (
            GOOD.replace("{name: one,", "{name: one, stratum: private,"),
            "protocol.yaml:5:17: contrasts.0.stratum: no list of cases is called 'private'; add it under cases",
        ),
    ],
)
def test_what_is_wrong_is_one_line_with_its_place(tmp_path, text, said):
    with pytest.raises(BadInput) as raised:
        read(tmp_path, text)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_shipped_one_names_strategies_and_policies_that_there_are():
    known = {info.strategy for info in strategies()}
    for contrast in read_protocols(shipped_root() / "cases")["protocol"].contrasts:
        named = [*(contrast.strategies or ())]
        for side in (contrast.treatment, contrast.against):
            named += [*(side.best_of or ()), *([side.strategy] if side.strategy else [])]
            assert side.policy in policy_names()
        assert set(named) <= known


def test_the_shipped_one_names_the_detector_of_each_of_its_policies():
    protocol = read_protocols(shipped_root() / "cases")["protocol"]
    policies = {side.policy for contrast in protocol.contrasts for side in (contrast.treatment, contrast.against)}
    own = {name: policy(name).detector for name in policies}
    assert dict(protocol.detectors) == {name: one for name, one in own.items() if one is not None}


def test_trials_of_another_model_policy_or_detector_belong_to_no_contrast(tmp_path):
    protocol = read(tmp_path, GOOD.replace('b: "2"}', 'b: "2"}, detectors: {naive: d}'))
    assert protocol.covers("m", "naive", "d")
    assert not protocol.covers("m", "naive", "another")
    assert not protocol.covers("m", "loop", "d")
    assert not protocol.covers("n", "naive", "d")
    assert read(tmp_path).covers("m", "naive", "another"), "a plan that names no detector takes all"


def test_pinned_prompts_decide_for_the_strategies_that_they_name(tmp_path):
    protocol = read(tmp_path, GOOD.replace('b: "2"}', 'b: "2"}, prompts: {a: p}'))
    assert protocol.changed("f", {"a": "another source", "b": "2"}, {"a": "p"}, "3.2")["strategies"] == []
    assert protocol.changed("f", {"a": "1", "b": "3"}, {"a": "q", "new": "r"}, "3.2")["strategies"] == ["a", "b"]


def test_the_digest_of_the_rendered_frame_decides_if_it_is_pinned(tmp_path):
    protocol = read(tmp_path, GOOD.replace('b: "2"}', 'b: "2"}, frames: {v1: g}'))
    assert not protocol.changed("g", {}, {}, "3.2")["frame"]
    assert protocol.changed("f", {}, {}, "3.2")["frame"]


def test_a_digest_of_prompts_is_of_the_first_requests_in_any_order():
    rows = [{"strategy": "a", "attempts": [{"model_request": one}, {"model_request": "later"}]} for one in "xy"] + [
        {"strategy": "a", "attempts": []}
    ]
    assert prompt_digests(rows) == prompt_digests(reversed(rows))
    assert prompt_digests(rows) != prompt_digests(rows[:1])


def test_the_protocol_is_the_one_that_was_settled_before_the_test_part_was_recorded():
    settled = (shipped_root() / "cases" / FILE).read_bytes().partition(b"  prompts:")[0]
    assert hashlib.sha256(settled).hexdigest().startswith("ba214bbd17a09943"), (
        "an edit here voids the primary contrasts"
    )


def test_the_frame_is_as_it_was_frozen_and_every_strategy_of_that_time_has_its_prompts_pinned():
    frozen = read_protocols(shipped_root() / "cases")["protocol"].frozen
    assert frozen.frames == {"v1": frame_digest()}
    assert {*frozen.prompts} == {*frozen.strategies}
    later = {info.strategy for info in strategies()} - {*frozen.prompts}
    assert later == {"instructor", "langchain", "openai-agents", "pydantic-ai"}
