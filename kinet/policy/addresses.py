"""Knows which network addresses are public, unwrapping those that carry another inside."""

from __future__ import annotations

import ipaddress

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# Own tables: the standard library's words changed between versions and miss several of these.
_SPECIAL_4 = tuple(map(ipaddress.IPv4Network, (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
    "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4",
)))  # fmt: skip
_SPECIAL_6 = tuple(map(ipaddress.IPv6Network, (
    "::/128", "::1/128", "::ffff:0:0:0/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64",
    "2001::/23", "2001:db8::/32", "2620:4f:8000::/48", "3fff::/20", "5f00::/16", "fc00::/7",
    "fe80::/10", "fec0::/10", "ff00::/8",
)))  # fmt: skip
# The only space that is given out for the public network.
_GLOBAL_6 = ipaddress.IPv6Network("2000::/3")
# Cloud services that hand out keys to whoever asks from inside: never, not even by permission.
_METADATA = frozenset(map(ipaddress.ip_address, (
    "169.254.169.254", "169.254.170.2", "169.254.169.123", "169.254.169.253", "168.63.129.16",
    "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254",
)))  # fmt: skip
_LOCAL_4 = tuple(map(ipaddress.IPv4Network, (
    "10.0.0.0/8", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",
)))  # fmt: skip


def special(address: Address) -> str:
    """Why the address is not a public one, "" if it is."""
    if is_metadata(address):
        return f"{address} hands out the keys of a cloud machine"
    for inner in unwrapped(address):
        tables = _SPECIAL_4 if isinstance(inner, ipaddress.IPv4Address) else _SPECIAL_6
        if any(inner in network for network in tables):
            return f"{address} is an address of this machine or a local network"
        if isinstance(inner, ipaddress.IPv6Address) and inner not in _GLOBAL_6:
            return f"{address} is not an address of the public network"
    return ""


def is_metadata(address: Address) -> bool:
    """True for a service that hands out the keys of a cloud machine, in whatever spelling."""
    return any(inner in _METADATA for inner in unwrapped(address))


def may_be_permitted(address: Address) -> bool:
    """True for loopback and private addresses, which a person may permit one by one."""
    inner = unwrapped(address)
    if is_metadata(address) or len(inner) != 1:
        return False
    only = inner[0]
    if isinstance(only, ipaddress.IPv4Address):
        return any(only in network for network in _LOCAL_4)
    return only == ipaddress.IPv6Address("::1") or only in ipaddress.IPv6Network("fc00::/7")


def unwrapped(address: Address) -> tuple[Address, ...]:
    """The addresses that a packet to this one may end at: the one inside it, else itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return (address,)
    number = int(address)
    low = ipaddress.IPv4Address(number & 0xFFFF_FFFF)
    if address.ipv4_mapped is not None:
        return (address.ipv4_mapped,)
    if address.sixtofour is not None:
        return (address, address.sixtofour)
    if address.teredo is not None:
        return (address, *address.teredo)
    if number >> 32 == 0 and number > 1:
        # The old compatible form, ::127.0.0.1.
        return (low,)
    if number >> 32 == 0x0064_FF9B << 64:
        return (low,)
    if number >> 32 == 0xFFFF << 16 or (number >> 32) & 0xFFFF_FFFF in (0x5EFE, 0x0200_5EFE):
        # Translated (::ffff:0:a.b.c.d) and ISATAP addresses.
        return (address, low)
    return (address,)
