"""Labels that are still missing are named by a path that exists."""

import pytest

from mendbench.corpus.labels import MARK, is_missing_label, missing_labels


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (f"title: {MARK} one line\n", ["title is not labelled; one line"]),
        (f"a: [{{b: {MARK} x}}]\n", ["a.0.b is not labelled; x"]),
        (
            f"variants:\n- inputs: {{{MARK} an input: {MARK} its value}}\n",
            [
                "a key of variants.0.inputs is not labelled; an input",
                "the value of that key of variants.0.inputs is not labelled; its value",
            ],
        ),
        (f"{MARK} x: 1\n", ["a key is not labelled; x"]),
    ],
)
def test_each_is_reported_with_its_place(tmp_path, text, problems):
    (tmp_path / "case.yaml").write_text(text, encoding="utf-8")
    found = missing_labels(tmp_path)
    assert [str(one).partition(": ")[2] for one in found] == problems
    assert all(is_missing_label(one) for one in found)
