"""How a context is brought under its budget."""

from hypothesis import given
from hypothesis import strategies as st

from mendbench.strategies.cutting import CUT_MARK, fit
from mendbench.strategies.interface import SectionSpec
from mendbench.strategies.tokens import estimate

LINES = st.lists(st.text(alphabet="ab é`\U0001f527", max_size=40), min_size=1, max_size=12).map("\n".join)
PARTS = st.lists(st.tuples(LINES, st.integers(0, 4)), max_size=5)


def specs_of(ranks):
    return [SectionSpec(name=f"s{n}", label="raw", keep=keep) for n, keep in enumerate(ranks)]


def cut(texts, ranks, budget):
    return fit("mine", specs_of(ranks), texts, budget)


@given(parts=PARTS, budget=st.integers(-5, 300))
def test_a_context_is_never_over_its_budget(parts, budget):
    context = cut([text for text, _ in parts], [keep for _, keep in parts], budget)
    assert context.tokens == estimate(context.text)
    assert context.tokens <= max(0, budget)


@given(parts=PARTS, budget=st.integers(0, 300))
def test_what_is_left_of_a_section_is_a_prefix_of_it_that_ends_with_a_line(parts, budget):
    texts = [text for text, _ in parts]
    for section, text in zip(cut(texts, [keep for _, keep in parts], budget).sections, texts, strict=True):
        if not section.cut:
            assert section.text == text
        elif section.text:
            kept, mark, closing = section.text.rpartition(f"\n{CUT_MARK}")
            assert mark
            assert (text + "\n").startswith(kept + "\n")
            assert closing.strip("`\n") == ""


@given(parts=PARTS, budget=st.integers(0, 300))
def test_a_section_is_cut_only_when_all_of_lower_rank_are_gone_and_at_most_one_is_shortened(parts, budget):
    ranks = [keep for _, keep in parts]
    sections = cut([text for text, _ in parts], ranks, budget).sections
    touched = [n for n, section in enumerate(sections) if section.cut]
    assert len([n for n in touched if sections[n].text]) <= 1
    for n in touched:
        lower = [m for m, keep in enumerate(ranks) if (keep, -m) < (ranks[n], -n)]
        assert not [m for m in lower if sections[m].text]


@given(parts=PARTS)
def test_what_fits_is_left_as_it_is(parts):
    texts = [text for text, _ in parts]
    whole = cut(texts, [keep for _, keep in parts], 1_000_000)
    assert [section.text for section in whole.sections] == texts
    assert not whole.truncated


@given(parts=PARTS, budget=st.integers(0, 299))
def test_a_larger_budget_never_shows_less(parts, budget):
    texts, ranks = [text for text, _ in parts], [keep for _, keep in parts]
    small, large = cut(texts, ranks, budget), cut(texts, ranks, budget + 1)
    assert len([s for s in large.sections if s.cut]) <= len([s for s in small.sections if s.cut])


def test_the_lowest_rank_goes_first_whatever_its_place():
    context = cut(["a" * 32, "b" * 32, "c" * 32], [2, 1, 3], 22)
    assert [(section.text[:1], section.cut) for section in context.sections] == [("a", False), ("", True), ("c", False)]
    assert context.truncated


def test_the_last_one_cut_keeps_the_lines_that_fit():
    lines = [f"line {n} of the answer" for n in range(20)]
    context = cut(["\n".join(lines)], [1], 40)
    assert context.text.split("\n") == [*lines[:5], CUT_MARK]


def test_a_fence_that_the_cut_leaves_open_is_closed_after_the_mark():
    text = "**Answer**:\n```json\n{\n" + "\n".join(f'  "key{n}": {n},' for n in range(40)) + "\n}\n```"
    context = cut([text, "after"], [1, 2], 40)
    assert context.sections[0].text.endswith(f"\n{CUT_MARK}\n```")
    assert context.sections[1].text == "after"
