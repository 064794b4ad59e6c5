from mendbench.runtime.templates import ParamProblem
from mendbench.runtime.unresolved import unresolved_message


def message(data, *templates, param="text"):
    return unresolved_message(ParamProblem(param=param, templates=templates), data)


def test_the_first_line_names_parameter_and_templates_and_the_keys_follow():
    text = message({"fetch": {"response": {}}, "n": 5, "none": None, "items": [1]}, "${fetch.x}", "${fetch.y}")
    assert text == (
        "Unresolved variables in parameter 'text': ${fetch.x}, ${fetch.y}\n\n"
        "Available context keys:\n  • fetch (dict)\n  • n (int): 5\n  • none (NoneType)\n  • items (list)"
    )


def test_more_than_twenty_keys_are_counted():
    text = message({f"k{number:02}": "v" for number in range(25)}, "${a.b}")
    assert "  • k19 (str): v\n  ... and 5 more" in text
    assert "k20" not in text


def test_a_node_that_is_written_otherwise_is_suggested():
    text = message({"fetch-user": {}, "fetch": {}}, "${fetch_user.stdout}")
    assert "Suggestions:\n  Did you mean '${fetch-user.stdout}'? (instead of '${fetch_user.stdout}')" in text


def test_a_long_text_that_is_no_json_is_quoted_in_part():
    text = message({"llm": {"response": "Sure! " + "x" * 100}}, "${llm.response.name[0]}")
    assert "Nested access (.name) requires valid JSON.\n  Actual value: Sure! " + "x" * 54 + "...\n" in text


def test_malformed_templates_are_reported_as_written():
    assert message({"a": {}}, "${a[-1]}").startswith("Unresolved variables in parameter 'text': ${a[-1]}")
