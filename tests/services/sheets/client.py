"""How the Sheets tests call the service."""

from __future__ import annotations

from urllib.parse import quote

from mendbench.services import simulated
from tests.fakes.services import Client, body_of

LEDGER, PAYROLL = "1Qv8Brackm00rL0tLedgerXyT4nWc2Zs5eKd9uHfGa7J", "1Pr1vateWillowfoldPayrollZz81mQe0RtYuIoPaSd3"
CRATES = "'Outbound crates ''26'"
RAW, TYPED = "valueInputOption=RAW", "valueInputOption=USER_ENTERED"


def sheets(state=None, *, token="any-token"):
    base = "https://sheets.googleapis.com/v4/spreadsheets/"
    return Client(simulated("sheets"), state, base=base, headers={"authorization": f"Bearer {token}"})


def values(client, range_text, query="", book=LEDGER):
    return body_of(client.send("GET", f"{book}/values/{quote(range_text, safe='')}?{query}"))


def update(client, range_text, body, query=RAW):
    return body_of(client.send("PUT", f"{LEDGER}/values/{quote(range_text, safe='')}?{query}", body))


def append(client, range_text, body, query=RAW):
    return body_of(client.send("POST", f"{LEDGER}/values/{quote(range_text, safe='')}:append?{query}", body))


def change(client, *requests):
    return body_of(client.send("POST", f"{LEDGER}:batchUpdate", {"requests": list(requests)}))


def message(body):
    """The message of a refusal, which has to be INVALID_ARGUMENT."""
    assert body["error"]["code"] == 400, body
    assert body["error"]["status"] == "INVALID_ARGUMENT"
    return body["error"]["message"]
