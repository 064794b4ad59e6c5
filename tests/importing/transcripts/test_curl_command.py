"""curl's options, and the request that they make."""

from mendbench.importing.transcripts.curl_command import read_command, words_of

URL = "https://a.example/x"
FORM = ("content-type", "application/x-www-form-urlencoded")


def read(line):
    return read_command(words_of(f"curl {line}"))


def test_each_option_makes_its_part_of_the_request():
    json = (("content-type", "application/json"), ("accept", "application/json"))
    table = [
        (URL, "GET", URL, (), b""),
        (f"-sSLXPUT {URL}", "PUT", URL, (), b""),
        (f"--request=DELETE --url {URL} -o out.txt -m 5", "DELETE", URL, (), b""),
        ("a.example/x#part", "GET", "http://a.example/x", (), b""),
        (f"-I {URL}", "HEAD", URL, (), b""),
        (f"-d a=1 --data-raw @b {URL}", "POST", URL, (FORM,), b"a=1&@b"),
        (f"-G -d q=1 --data-urlencode 'who=Bo & Vik' '{URL}?a=0'", "GET", f"{URL}?a=0&q=1&who=Bo%20%26%20Vik", (), b""),
        (f"--data-urlencode '=a=b' --data-urlencode 'c d' {URL}", "POST", URL, (FORM,), b"a%3Db&c%20d"),
        (f"--json '{{\"a\":' --json '1}}' {URL}", "POST", URL, json, b'{"a":1}'),
        (f"-H 'Content-Type: text/plain' -H 'X-None:' --data-binary hi {URL}", "POST", URL, (("Content-Type", "text/plain"),), b"hi"),
        (f"-u vik:tide {URL}", "GET", URL, (("authorization", "Basic dmlrOnRpZGU="),), b""),
        (f"--oauth2-bearer tide -A me/1 -b a=b {URL} | jq .", "GET", URL, (("authorization", "Bearer tide"), ("user-agent", "me/1"), ("cookie", "a=b")), b""),
        (f"-sS {URL} 2>&1 > out", "GET", URL, (), b""),
        (f"{URL}; echo done", "GET", URL, (), b""),
    ]  # fmt: skip
    for line, method, url, headers, body in table:
        (request,) = read(line).requests
        assert (request.method, request.url, request.headers, request.body) == (method, url, headers, body), line


def test_what_is_not_on_the_command_line_is_a_problem():
    table = [
        ("-d @body.json", "its body is in a file"), ("--data-urlencode a@b", "its body is in a file"), ("-H @heads", "its headers are in a file"),
        ("-F a=b", "its body is multipart, with a boundary that curl invents"), ("-T up", "its body is in a file"),
        ("-K conf", "its options are in a file"), ("--next -d a", "the command has several parts (--next): run them one by one"),
    ]  # fmt: skip
    for options, problem in table:
        assert read(f"{options} {URL}").problem == problem


def test_several_urls_are_several_requests():
    command = read(f"-L {URL} {URL}/2")
    assert ([one.url for one in command.requests], command.follows) == ([URL, f"{URL}/2"], True)


def test_a_command_goes_on_until_its_quotations_and_lines_end():
    assert words_of("curl a \\") is None
    assert words_of("curl -d '{") is None
    assert words_of("curl \\\n -d '{\n}' a") == ["curl", "-d", "{\n}", "a"]
