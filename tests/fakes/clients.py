"""The headers that HTTP clients send by themselves, without ``Host``."""

FETCH = {"accept": "*/*", "accept-language": "*", "sec-fetch-mode": "cors", "accept-encoding": "gzip, deflate"}
SENT = {
    "Node 20 fetch": {"connection": "keep-alive", "user-agent": "node", **FETCH},
    "undici 7 fetch": {"connection": "keep-alive", "user-agent": "undici", **FETCH},
    "axios 1": {
        "Accept": "application/json, text/plain, */*",
        "User-Agent": "axios/1.21.1",
        "Accept-Encoding": "gzip, compress, deflate, br",
    },
    "got": {"user-agent": "got (https://github.com/sindresorhus/got)", "accept-encoding": "gzip, deflate, br"},
    "got, as JSON": {"accept": "application/json", "accept-encoding": "gzip, deflate, br"},
    "node-fetch 3": {"accept": "*/*", "accept-encoding": "gzip, deflate, br", "user-agent": "node-fetch"},
    "Java 17 HttpClient": {
        "Connection": "Upgrade, HTTP2-Settings",
        "Content-Length": "0",
        "HTTP2-Settings": "AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA",
        "Upgrade": "h2c",
        "User-Agent": "Java-http-client/17.0.15",
    },
    "Java 17 HttpURLConnection": {
        "User-Agent": "Java/17.0.15",
        "Accept": "text/html, image/gif, image/jpeg, */*; q=0.2",
        "Connection": "keep-alive",
    },
    "requests 2": {
        "User-Agent": "python-requests/2.34.2",
        "Accept-Encoding": "gzip, deflate",
        "Accept": "*/*",
        "Connection": "keep-alive",
    },
    "httpx": {"Accept": "*/*", "Accept-Encoding": "gzip, deflate", "User-Agent": "python-httpx/0.28.1"},
    "aiohttp 3": {
        "Accept": "*/*",
        "Accept-Encoding": "gzip, deflate",
        "User-Agent": "Python/3.11 aiohttp/3.14.5",
        "Content-Length": "0",
        "Content-Type": "application/octet-stream",
    },
    "axios 1, without a body": {
        "Accept": "application/json, text/plain, */*",
        "Content-Type": "application/x-www-form-urlencoded",
        "Content-Length": "0",
    },
    "urllib": {"Accept-Encoding": "identity", "User-Agent": "Python-urllib/3.11", "Connection": "close"},
    "curl": {"User-Agent": "curl/7.88.1", "Accept": "*/*"},
    "wget": {"User-Agent": "Wget/1.21.3", "Accept": "*/*", "Accept-Encoding": "identity", "Connection": "Keep-Alive"},
    "Go net/http": {"User-Agent": "Go-http-client/1.1", "Accept-Encoding": "gzip"},
    "okhttp 4": {"Connection": "Keep-Alive", "Accept-Encoding": "gzip", "User-Agent": "okhttp/4.12.0"},
    ".NET HttpClient": {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"},
    "Ruby net/http": {
        "Accept-Encoding": "gzip;q=1.0,deflate;q=0.6,identity;q=0.3",
        "Accept": "*/*",
        "User-Agent": "Ruby",
    },
    "Guzzle 7": {"User-Agent": "GuzzleHttp/7"},
}
