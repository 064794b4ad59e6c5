"""Names of tests are readable, stable and each its own; markers are words."""

from mendbench.corpus.case_file import FAMILIES
from mendbench.pytest_plugin.naming import item_names, marker_lines, marker_names
from tests.fakes.cases import key
from tests.fakes.scoring import make_case, user_fault
from tests.fakes.tables import for_each

MODEL = "tiny-coder"


def name(**words):
    one = key(**words)
    return item_names([one], MODEL)[one]


@for_each(
    ("words", "called"),
    [
        ({}, "full-context-two-layer-chat"),
        ({"policy": "naive"}, "full-context-naive-chat"),
        ({"repairer": "rules"}, "full-context-two-layer-rules"),
        ({"model": "other/coder:7b"}, "full-context-two-layer-chat-other-coder-7b"),
        ({"detector": "minimal"}, "full-context-two-layer-chat-minimal"),
        ({"policy": "seed"}, "full-context-seed-chat"),
        ({"sample": 2}, "full-context-two-layer-chat-sample2"),
        ({"engine": "theirs"}, "theirs-full-context-two-layer-chat"),
        ({"strategy": "./my/own.md.j2"}, "own-two-layer-chat"),
        ({"strategy": "mend~data"}, "mend~data-two-layer-chat"),
        ({"repairer": "package.module:mend"}, "full-context-two-layer-package.module-mend"),
    ],
)
def test_a_name_says_what_is_no_default(words, called):
    assert name(**words) == called


def test_a_name_does_not_hang_on_what_else_is_selected():
    one, other = key(), key(model="another")
    assert item_names([one, other], MODEL)[one] == item_names([one], MODEL)[one]


def test_trials_that_would_have_one_name_are_distinguished():
    one, other = key(strategy="a/own.md.j2"), key(strategy="b/own.md.j2")
    names = item_names([one, other], MODEL)
    assert len(set(names.values())) == 2
    assert all(called.startswith("own-two-layer-chat-") for called in names.values())


def test_markers_are_family_kind_api_and_part_each_once():
    case = make_case(family="transient", faults=(user_fault(),))
    assert marker_names(case, "train") == ("transient", "needs_user", "private", "train")
    assert marker_names(make_case(family="slack", faults=()), None)[:2] == ("slack", "control")


def test_every_marker_that_a_case_can_have_is_registered():
    registered = {line.partition(":")[0].partition("(")[0] for line in marker_lines()}
    kinds = {"repairable", "needs_user", "transient", "control", "mixed"}
    assert registered >= {"mendbench", *FAMILIES, *kinds, "well_known", "private", "train", "test", "recorded"}
    assert all(name.isidentifier() for name in registered)
