from mendbench.detectors.weighted.phrases import matches, says_failure
from tests.fakes.tables import for_each


@for_each(
    ("text", "signal"),
    [
        ("Your API key is invalid", "credentials"),
        ("You do not have permission to edit this page", "rights"),
        ("Upgrade your plan to use webhooks", "plan"),
        ("Monthly quota exceeded", "limit"),
        ("The service is temporarily unavailable", "outage"),
        ("Insufficient funds in the account", "funds"),
        ("Method not allowed", "route"),
        ("Unknown field 'titel'", "vocabulary"),
        ("Must be one of: open, closed", "offers"),
        ("The parameter 'q' is required", "required"),
        ("Unexpected token } in JSON at position 4", "syntax"),
        ("is not a valid date", "form"),
        ("is too long (maximum is 50 characters)", "range"),
        ("A project with this name already exists", "taken"),
        ("The ticket is closed", "state"),
        ("User not found", "absent"),
    ],
)
def test_a_phrase_gives_its_signal(text, signal):
    assert signal in {match.signal for match in matches(text)}


def test_a_phrase_takes_its_words():
    assert [match.signal for match in matches("Invalid API key")] == ["credentials"]


@for_each("text", ["", "Everything went well", "3 items were created", "Hello"])
def test_ordinary_words_say_no_failure(text):
    assert not says_failure(text)
