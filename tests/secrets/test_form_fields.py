import pytest

from mendbench.secrets.form_fields import elements_shown, parts_shown
from mendbench.secrets.undeclared import sanitise


def shown(name: str, value: str) -> str:
    return f"[{name}: {value}]"


@pytest.mark.parametrize("line", ["\n", "\r\n"])
def test_the_content_of_each_part_is_shown_by_its_name(line):
    lines = ["--b", 'Content-Disposition: form-data; filename="x"; name="one"', "Content-Type: text/plain", "", "1", "2", "--b", "Content-Disposition: form-data; name=two", "", "", "--b", 'content-disposition: form-data; NAME="three"', "", "--3", "--b--"]  # fmt: skip
    clean = parts_shown(line.join(lines), shown).split(line)
    assert [lines.index(each) for each in lines if each not in clean] == [4, 5, 13]
    assert [each for each in clean if each.startswith("[")] == ["[one: 1", "[two: ]", "[three: --3]"]


@pytest.mark.parametrize("text", ['name="a"\n\n1', 'name="a"\n\n<b>\n--b', 'name="a"\n--b', "a\n--b"])
def test_what_is_no_part_stays(text):
    assert parts_shown(text, shown) == text


def test_an_element_is_shown_under_the_last_name_before_its_last_value():
    assert elements_shown('<input name="a" NAME=\'b\' value="" Value="c"> d', shown) == '<input name="a" NAME=\'b\' value="" Value="[b: c]"> d'  # fmt: skip
    for text in ('<input value="c" name="b">', '<input name="b">', "name='b' value='c'"):
        assert elements_shown(text, shown) == text


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_cookie_is_hidden_however_its_line_ends(end):
    assert sanitise(f"200{end}Set-Cookie: a=b; Path=/{end}{end}").count("<redacted:") == 1
