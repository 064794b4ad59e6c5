from mendbench.probing.hints import network_hint, start_hint

NETWORK = "it needs the network: run it with --no-sandbox"
BY_HAND = "start it by hand to see why"


def test_the_network_is_named_only_for_its_own_failures():
    for text, hint in (
        ("ModuleNotFoundError: No module named 'kiln'", ""),
        ("FileNotFoundError: kiln.toml", ""),
        ("request failed: getaddrinfo ENOTFOUND kiln.example", NETWORK),
        ("socket.gaierror: Temporary failure in name resolution", NETWORK),
        ("connect ECONNREFUSED 10.0.0.7:443", NETWORK),
        ("npm error network This is a problem related to network connectivity.", NETWORK),
    ):
        assert network_hint(text, sandboxed=True) == hint, text
        assert network_hint(text, sandboxed=False) == "", text


def test_a_program_that_installs_its_server_and_starts_too_slowly_in_the_sandbox_needs_the_network():
    late = "no answer within 20 s; its last line on stderr: Resolving"
    for why, program, sandboxed, hint in (
        (late, "npx", True, NETWORK),
        (late, "npx", False, BY_HAND),
        (late, "python3", True, BY_HAND),
        ("it ended with exit code 1", "uvx", True, BY_HAND),
        ("SyntaxError: Unexpected token", "node", True, BY_HAND),
        ("KILN_TOKEN is not set", "node", True, "pass the variable that holds its key with --env NAME"),
    ):
        assert start_hint(why, program, sandboxed=sandboxed) == hint, why
