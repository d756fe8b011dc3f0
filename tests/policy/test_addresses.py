"""Which addresses are public, what lies inside others, and what a person may permit."""

from __future__ import annotations

import ipaddress
from ipaddress import ip_address

import pytest

from kinet.policy.addresses import is_metadata, may_be_permitted, special, unwrapped


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("8.8.8.8", ["8.8.8.8"]),
        ("2606:4700::1111", ["2606:4700::1111"]),
        # Mapped: only the inner one is ever spoken to.
        ("::ffff:127.0.0.1", ["127.0.0.1"]),
        # The old compatible form; the two lowest are the empty address and this machine.
        ("::169.254.169.254", ["169.254.169.254"]),
        ("::2", ["0.0.0.2"]),
        ("::", ["::"]),
        ("::1", ["::1"]),
        ("::1:0:0", ["::1:0:0"]),
        # NAT64.
        ("64:ff9b::10.0.0.1", ["10.0.0.1"]),
        ("64:ff9b:0:0:0:1:a00:1", ["64:ff9b::1:a00:1"]),
        # 6to4 and Teredo: sent on by a relay, which unwraps them.
        ("2002:a00:1::", ["2002:a00:1::", "10.0.0.1"]),
        ("2001:0:4136:e378:8000:63bf:80ff:fffe",
         ["2001:0:4136:e378:8000:63bf:80ff:fffe", "65.54.227.120", "127.0.0.1"]),
        # Translated, and ISATAP with both of its marks.
        ("::ffff:0:10.0.0.1", ["::ffff:0:a00:1", "10.0.0.1"]),
        ("2606::5efe:10.0.0.1", ["2606::5efe:a00:1", "10.0.0.1"]),
        ("2606::200:5efe:10.0.0.1", ["2606::200:5efe:a00:1", "10.0.0.1"]),
        ("2606::5eff:10.0.0.1", ["2606::5eff:a00:1"]),
    ],
)  # fmt: skip
def test_an_address_inside_another_is_found(text: str, inside: list[str]) -> None:
    assert [str(found) for found in unwrapped(ip_address(text))] == [
        str(ip_address(item)) for item in inside
    ]


@pytest.mark.parametrize(
    "text",
    [
        "8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
        "126.255.255.255", "128.0.0.1", "169.253.255.255", "169.255.0.0", "172.15.255.255",
        "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255",
        "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8", "2002:808:808::1", "3ffe:ffff::1",
    ],
)  # fmt: skip
def test_the_public_network_is_open_up_to_its_borders(text: str) -> None:
    assert special(ip_address(text)) == ""


@pytest.mark.parametrize(
    "text",
    [
        "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
        "127.0.0.1", "127.255.255.254", "169.254.0.1", "172.16.0.0", "172.31.255.255",
        "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.255.255", "198.18.0.0",
        "198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1", "239.1.1.1", "240.0.0.1",
        "255.255.255.255", "::", "::1", "fe80::1", "febf::1", "fec0::1", "fc00::1", "fdff::1",
        "ff02::1", "2001:db8::1", "2001::1", "3fff::1", "5f00::1", "100::1", "64:ff9b:1::1",
        "4000::1", "1fff::1", "::ffff:10.0.0.1", "::10.0.0.1", "64:ff9b::192.168.0.1",
        "2002:c0a8:1::", "::ffff:0:8.8.8.8", "2606::5efe:127.0.0.1",
    ],
)  # fmt: skip
def test_no_address_of_a_machine_or_a_local_network_passes(text: str) -> None:
    assert special(ip_address(text))


METADATA = [
    "169.254.169.254", "169.254.170.2", "169.254.169.123", "168.63.129.16", "100.100.100.200",
    "192.0.0.192", "fd00:ec2::254", "fd20:ce::254", "::ffff:169.254.169.254",
    "::169.254.169.254", "64:ff9b::169.254.169.254", "2002:a9fe:a9fe::",
    "2606::5efe:169.254.169.254", "2001:0:4136:e378:8000:63bf:5601:5601",
]  # fmt: skip


@pytest.mark.parametrize("text", METADATA)
def test_a_service_that_hands_out_keys_is_known_and_never_permitted(text: str) -> None:
    address = ip_address(text)
    assert is_metadata(address)
    assert "keys of a cloud machine" in special(address)
    assert not may_be_permitted(address)


@pytest.mark.parametrize("text", ["169.254.169.253", "8.8.8.8", "10.0.0.1", "::1"])
def test_others_hand_out_no_keys(text: str) -> None:
    assert is_metadata(ip_address(text)) is (text == "169.254.169.253")


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("127.0.0.1", True), ("10.1.2.3", True), ("172.16.0.1", True), ("192.168.1.1", True),
        ("::1", True), ("fc00::1", True), ("fd12:3456::1", True), ("::ffff:127.0.0.1", True),
        ("100.64.0.1", False), ("169.254.1.1", False), ("0.0.0.0", False), ("8.8.8.8", False),
        ("224.0.0.1", False), ("fe80::1", False), ("ff02::1", False), ("::", False),
        # Two places at once: which of them answers cannot be told.
        ("2002:a00:1::", False), ("::ffff:0:10.0.0.1", False), ("fd00::5efe:10.0.0.1", False),
    ],
)  # fmt: skip
def test_only_this_machine_and_private_networks_may_be_permitted(text: str, may: bool) -> None:
    assert may_be_permitted(ip_address(text)) is may


def test_every_special_network_is_refused_at_both_its_ends() -> None:
    for network in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
        "172.16.0.0/12", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4",
    ):  # fmt: skip
        ends = ipaddress.ip_network(network)
        assert special(ends[0]), network
        assert special(ends[-1]), network
