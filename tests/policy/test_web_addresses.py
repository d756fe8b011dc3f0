"""Web addresses taken apart and judged at their borders: ports, lengths, names, keys inside."""

from __future__ import annotations

import socket

import pytest

from kinet.policy.network import (
    LONGEST_URL,
    checked_addresses,
    host_of,
    judge_url,
    local_permit,
    parse_target,
    refused,
    system_resolver,
)

PUBLIC = "93.184.216.34"


def why_not(url: str) -> str:
    with pytest.raises(ValueError, match=r".") as caught:
        parse_target(url)
    return str(caught.value)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "is empty"),
        ("https://a.test/" + "x" * LONGEST_URL, "longer than 64,000"),
        ("https://a.test/ x", "a blank"), ("https://a.test/\x1f", "a control"),
        ("https://a.test/\x7f", "a control"), ("https://a.test\\@b.test/", "a backslash"),
        ("a.test/x", "not a whole web address"), ("ftp://a.test/", "ftp: is not fetched"),
        ("https://me@a.test/", "user name"), ("https://me:pw@a.test/", "user name"),
        ("https://:80/", "cannot be read"), ("https://a.test:x/", "cannot be read"),
        ("https://[::1/", "cannot be read"), ("https://[::g]/", "cannot be read"),
        ("https://[1:2]/", "not an address"), ("https://a..test/", "not a name"),
        ("https://-a.test/", "not a name"), ("https://a-.test/", "not a name"),
        ("https://a$.test/", "not a name"), ("https://" + "a" * 64 + ".test/", "not a name"),
        ("https://" + "a." * 125 + "test/", "not a name"),
        ("http://2130706433/", "unusual spelling"), ("http://0x7f.1/", "unusual spelling"),
        ("http://127.1/", "unusual spelling"), ("http://0x7f000001/", "unusual spelling"),
    ],
)  # fmt: skip
def test_a_doubtful_address_is_refused_with_its_reason(url: str, words: str) -> None:
    assert words in why_not(url)
    judged = judge_url(url, permitted=True)
    assert (judged.verdict, judged.memorable, judged.targets) == ("deny", False, ())
    assert host_of(url) == ""


@pytest.mark.parametrize("port", [0, 1, 22, 25, 79, 81, 442, 444, 1_023, 65_536, 99_999])
def test_ports_of_other_services_are_refused(port: int) -> None:
    assert f"port {port} belongs" in why_not(f"https://a.test:{port}/")


@pytest.mark.parametrize("port", [80, 443, 1_024, 8_443, 65_535])
def test_usual_and_high_ports_are_kept(port: int) -> None:
    assert parse_target(f"https://a.test:{port}/").port == port


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("https://A.Test", "https://a.test/"),
        ("https://a.test:443/x", "https://a.test/x"),
        ("http://a.test:443/x", "http://a.test:443/x"),
        ("http://a.test:80?q=1", "http://a.test/?q=1"),
        ("HTTPS://a.test./x#mark", "https://a.test/x"),
        ("https://a.test/ü?q=ß%20", "https://a.test/%C3%BC?q=%C3%9F%20"),
        ("https://bücher.test/", "https://xn--bcher-kva.test/"),
        ("http://[2606:4700::1111]:8080/", "http://[2606:4700::1111]:8080/"),
        ("http://①②⑦.⓪.⓪.①/", "http://127.0.0.1/"),
        ("https://a_b-c.test/", "https://a_b-c.test/"),
        ("https://a.test/!x~", "https://a.test/!x~"),
        ("https://" + "a" * 63 + ".test/", "https://" + "a" * 63 + ".test/"),
        ("https://x1.test/", "https://x1.test/"),
    ],
)
def test_an_address_has_one_plain_form_for_check_and_use(url: str, plain: str) -> None:
    target = parse_target(url)
    assert target.url == plain
    assert host_of(url) == target.authority


def test_the_longest_address_and_host_are_taken() -> None:
    url = "https://a.test/" + "x" * (LONGEST_URL - len("https://a.test/"))
    assert len(parse_target(url).path) == LONGEST_URL - len("https://a.test")
    host = ".".join(["a" * 49] * 5) + ".abc"
    assert len(host) == 253
    assert parse_target(f"https://{host}/").host == host
    assert "not a name" in why_not(f"https://{host}d/")


@pytest.mark.parametrize(
    "host",
    ["localhost", "x.localhost", "printer.local", "a.internal", "nas.lan", "router", "x.home.arpa",
     "a.onion", "db.svc.cluster.local", "metadata.google.internal", "x.metadata.goog",
     "instance-data"],
)  # fmt: skip
def test_names_of_the_local_network_are_refused(host: str) -> None:
    judged = judge_url(f"http://{host}/", permitted=True)
    assert (judged.verdict, judged.parts[0].rule) == ("deny", "local-name")
    assert host in judged.reason


@pytest.mark.parametrize("host", ["localhost.test", "notlocal.test", "mylan.test", "home.test"])
def test_names_that_only_look_local_are_not_refused(host: str) -> None:
    assert judge_url(f"http://{host}/", permitted=True).verdict == "allow"


def test_a_service_of_keys_is_refused_by_name_even_if_permitted() -> None:
    for host in ("metadata.google.internal", "metadata.goog", "instance-data"):
        permits = frozenset({f"{host}:80"})
        judged = judge_url(
            f"http://{host}/", permitted=True, resolve=lambda _: [PUBLIC], local_permits=permits
        )
        assert judged.verdict == "deny", host


def test_one_host_and_port_may_be_permitted_and_no_other() -> None:
    permits = frozenset({"dev.lan:3000", "127.0.0.1:8000"})

    def word(url: str, *answers: str) -> str:
        found = judge_url(
            url, permitted=True, resolve=lambda _: list(answers), local_permits=permits
        )
        return found.verdict

    assert word("http://dev.lan:3000/", "192.168.1.5") == "allow"
    assert word("http://dev.lan:3000/", PUBLIC) == "allow"
    assert word("http://dev.lan:3001/", "192.168.1.5") == "deny"
    assert word("http://dev.lan:3000/", "169.254.169.254") == "deny"
    assert word("http://dev.lan:3000/", "192.168.1.5", "100.64.0.1") == "deny"
    assert word("http://other.test:3000/", "192.168.1.5") == "deny"
    assert word("http://127.0.0.1:8000/") == "ask"
    assert word("http://127.0.0.1:8001/") == "deny"


def test_one_special_address_among_several_refuses_the_host() -> None:
    target = parse_target("https://a.test/")
    found, trouble = checked_addresses(target, lambda _: [PUBLIC, "10.0.0.1"])
    assert [str(address) for address in found] == [PUBLIC, "10.0.0.1"]
    assert trouble.startswith("a.test: 10.0.0.1")
    judged = judge_url("https://a.test/", permitted=True, resolve=lambda _: [PUBLIC, "10.0.0.1"])
    assert (judged.verdict, judged.parts[0].rule) == ("deny", "special-address")
    assert judged.targets == ("a.test",)


def test_a_bare_address_is_judged_without_a_look_up() -> None:
    def never(_: str) -> list[str]:
        raise AssertionError("looked up")

    assert judge_url(f"http://{PUBLIC}/", resolve=never, permitted=True).verdict == "ask"
    target = parse_target("http://10.0.0.1/")
    found, trouble = checked_addresses(target, never)
    assert [str(address) for address in found] == ["10.0.0.1"]
    assert trouble.startswith("10.0.0.1 is")
    assert refused(target, found) == trouble
    assert refused(parse_target(f"http://{PUBLIC}/"), []) == ""


def test_a_host_without_an_address_is_refused() -> None:
    target = parse_target("https://a.test/")
    assert checked_addresses(target, lambda _: []) == ([], "there is no host a.test")
    found, trouble = checked_addresses(target, lambda _: ["nonsense"])
    assert (found, "no address" in trouble) == ([], True)
    assert checked_addresses(target, lambda _: ["fe80::1%eth0"])[1]
    assert judge_url("https://a.test/", permitted=True, resolve=lambda _: []).verdict == "deny"


KEYS = [
    "sk-abcdefghijklmnop", "ghp_abcdefghijklmnopqrst", "AKIAABCDEFGHIJKLMNOP",
    "glpat-abcdefghijklmnop", "hf_abcdefghijklmnopqrst", "token=abcdefgh", "Password=hunter22",
    "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.x", "-----BEGIN",
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_an_address_that_carries_a_key_asks_each_time(key: str) -> None:
    judged = judge_url(f"https://a.test/?{key}", permitted=True)
    assert (judged.verdict, judged.memorable, judged.parts[0].rule) == ("ask", False, "unusual")


def test_room_for_a_file_is_noticed_and_less_is_not() -> None:
    def word(rest: str) -> str:
        return judge_url(f"https://a.test/{rest}", permitted=True).verdict

    assert word("/".join(["ab"] * 678)[: 2_048 - 15]) == "allow"
    assert word("/".join(["ab"] * 690)[: 2_049 - 15]) == "ask"
    assert word("x" * 199) == "allow"
    assert word("x" * 200) == "ask"


def test_other_scripts_and_bare_addresses_ask_each_time() -> None:
    for url in ("https://аpple.test/", f"http://{PUBLIC}/", "http://[2606:4700::1111]/"):
        judged = judge_url(url, permitted=True)
        assert (judged.verdict, judged.memorable) == ("ask", False), url
    assert "xn--" in judge_url("https://аpple.test/", permitted=True).reason


def test_a_new_host_asks_and_may_be_remembered() -> None:
    judged = judge_url("https://a.test:8443/x")
    assert (judged.verdict, judged.memorable, judged.targets) == ("ask", True, ("a.test:8443",))
    assert judge_url("https://a.test/").parts[0].rule == "host"
    allowed = judge_url("https://a.test/", permitted=True)
    assert (allowed.verdict, allowed.memorable) == ("allow", True)


def test_a_long_address_is_shown_by_its_first_500_characters() -> None:
    judged = judge_url("https://a.test/" + "x" * 600)
    assert judged.parts[0].text == "https://a.test/" + "x" * 485


def test_the_systems_answers_are_given_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 0))
    other = (socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::1", 0, 0, 0))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [entry, other, entry])
    assert system_resolver("localhost") == ["127.0.0.1", "::1"]

    def unknown(*_: object, **__: object) -> list[object]:
        raise socket.gaierror("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert system_resolver("a.test") == []


@pytest.mark.parametrize(
    ("text", "permit"),
    [
        ("localhost:3000", "localhost:3000"), (" Dev.LAN:80 ", "dev.lan:80"),
        ("127.0.0.1:8000", "127.0.0.1:8000"), ("[::1]:8080", "::1:8080"), ("::1:8080", "::1:8080"),
    ],
)  # fmt: skip
def test_a_development_server_is_permitted_as_it_is_compared(text: str, permit: str) -> None:
    assert local_permit(text) == permit


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "an empty line"), ("localhost", "write host:port"), (":80", "write host:port"),
        ("localhost:x", "write host:port"), ("localhost:22", "another kind of service"),
        ("169.254.169.254:80", "keys of a cloud machine"), ("a b:80", "a blank"),
        ("[fd00:ec2::254]:80", "keys of a cloud machine"),
    ],
)  # fmt: skip
def test_what_is_no_development_server_is_said(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        local_permit(text)
