"""Judges an address before a fetch: its text first, then what its name resolves to."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kinet.policy.addresses import Address, is_metadata, may_be_permitted, special
from kinet.policy.verdicts import Judgement, Part, VerdictWord
from kinet.policy.visible import visible_line

# Gives the addresses of a host in text form; an empty list where there is none.
Resolver = Callable[[str], Sequence[str]]

LONGEST_URL = 64_000
# Longer ones have room for a file's content.
_USUAL_LENGTH = 2_048
_LONGEST_HOST = 253
_SCHEMES = {"http": 80, "https": 443}
_WHOLE = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<rest>[^#]*)(?P<mark>#.*)?\Z"
)
_AUTHORITY = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^:@\[\]]+)(?::(?P<port>\d{1,5}))?\Z")
_LABEL = re.compile(r"\A(?!-)[a-z0-9_-]{1,63}(?<!-)\Z")
# A last label of digits is a number to some resolvers: 2130706433, 0x7f.1, 127.1.
_NUMBER_LIKE = re.compile(r"\A(?:\d+|0x[0-9a-f]*)\Z")
_LOCAL_NAMES = (
    "localhost", "local", "internal", "intranet", "lan", "home", "corp", "private", "localdomain",
    "home.arpa", "onion", "svc", "cluster.local",
)  # fmt: skip
_METADATA_NAMES = ("metadata.google.internal", "metadata.goog", "instance-data")
_KEY_SHAPED = re.compile(
    r"(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}"
    r"|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|xox[abprs]-[A-Za-z0-9-]{10,}|glpat-[\w-]{16,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.|-----BEGIN|hf_[A-Za-z0-9]{20,}"
    r"|(?i:(?:api[_-]?key|token|secret|passw(?:or)?d)=)[^&\s]{8,}"
)
_LONG_BLOB = re.compile(r"[A-Za-z0-9+_=-]{200,}")


@dataclass(frozen=True, slots=True)
class Target:
    """An address taken apart, once, for the check and the use alike. `host` is in xn-- form."""

    scheme: str
    host: str
    port: int
    path: str
    literal: Address | None = None

    @property
    def authority(self) -> str:
        """host:port, without the port where it is the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _SCHEMES[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The address as it is asked for, without its fragment."""
        return f"{self.scheme}://{self.authority}{self.path}"


def parse_target(url: str) -> Target:
    """The parts of a web address. Raises ValueError with the reason for any doubtful one."""
    if not url:
        raise ValueError("the address is empty")
    if len(url) > LONGEST_URL:
        raise ValueError(f"the address is longer than {LONGEST_URL:,} characters")
    if any(ord(char) <= 0x20 or ord(char) == 0x7F for char in url) or "\\" in url:
        raise ValueError("the address holds a blank, a control character or a backslash")
    whole = _WHOLE.match(url)
    if whole is None:
        raise ValueError("it is not a whole web address (http:// or https://)")
    scheme = whole["scheme"].lower()
    if scheme not in _SCHEMES:
        raise ValueError(f"{scheme}: is not fetched, only http and https")
    if "@" in whole["authority"]:
        raise ValueError("the address holds a user name or password")
    found = _AUTHORITY.match(whole["authority"])
    if found is None:
        raise ValueError("the host of the address cannot be read")
    port = int(found["port"]) if found["port"] else _SCHEMES[scheme]
    if not (port in (80, 443) or 1_024 <= port <= 65_535):
        raise ValueError(f"port {port} belongs to another kind of service")
    host, literal = _host(found["host"])
    path = _escaped(whole["rest"])
    return Target(scheme, host, port, path if path.startswith("/") else f"/{path}", literal)


def judge_url(
    url: str,
    *,
    resolve: Resolver | None = None,
    permitted: bool = False,
    local_permits: frozenset[str] = frozenset(),
) -> Judgement:
    """Judges a web address; with `resolve` also what its name stands for. Never raises.

    A public host that is not `permitted` asks; a special address is refused, unless the person
    permitted exactly this host:port in `local_permits`, and metadata services even then.
    """
    try:
        target = parse_target(url)
    except ValueError as exc:
        return _judged(url, "deny", "malformed", str(exc))
    name_trouble = _local_name(target)
    if name_trouble and not _is_permitted(target, local_permits):
        return _judged(url, "deny", "local-name", name_trouble, target)
    if target.literal is not None:
        trouble = refused(target, [target.literal], local_permits)
        if trouble:
            return _judged(url, "deny", "special-address", trouble, target)
    elif resolve is not None:
        _, trouble = checked_addresses(target, resolve, local_permits)
        if trouble:
            return _judged(url, "deny", "special-address", trouble, target)
    reason = _unusual(url, target)
    if reason:
        return _judged(url, "ask", "unusual", reason, target, memorable=False)
    if permitted:
        return _judged(url, "allow", "permitted", f"{target.host} was permitted", target)
    return _judged(url, "ask", "host", f"{target.host} has not been permitted yet", target)


def checked_addresses(
    target: Target, resolve: Resolver, local_permits: frozenset[str] = frozenset()
) -> tuple[list[Address], str]:
    """(addresses to connect to, trouble): one look-up; a single special address refuses all."""
    if target.literal is not None:
        addresses = [target.literal]
    else:
        texts = resolve(target.host)
        if not texts:
            return [], f"there is no host {target.host}"
        try:
            addresses = [ipaddress.ip_address(text.partition("%")[0]) for text in texts]
        except ValueError:
            return [], f"{target.host} resolves to something that is no address"
    return addresses, refused(target, addresses, local_permits)


def refused(
    target: Target, addresses: Sequence[Address], local_permits: frozenset[str] = frozenset()
) -> str:
    """Why these addresses are not connected to, "" if they may be."""
    for address in addresses:
        trouble = special(address)
        if not trouble:
            continue
        allowed = _is_permitted(target, local_permits) and may_be_permitted(address)
        if is_metadata(address) or not allowed:
            shown = "" if str(address) == target.host else f"{target.host}: "
            return f"{shown}{trouble}"
    return ""


def system_resolver(host: str) -> list[str]:
    """The system's own answer, each address once; an empty list where there is none."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError, OSError):
        return []
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def host_of(url: str) -> str:
    """host:port of a web address in its plain form, "" for one that cannot be read."""
    try:
        return parse_target(url).authority
    except ValueError:
        return ""


def local_permit(text: str) -> str:
    """A host:port that a person wrote, as judgements compare it. ValueError says what is wrong."""
    host, colon, port = text.strip().rpartition(":")
    if not colon or not host or not port.isdigit():
        raise ValueError(f"{text.strip() or 'an empty line'}: write host:port, as localhost:3000")
    bare = ":" in host and not host.startswith("[")
    target = parse_target(f"http://[{host}]:{port}/" if bare else f"http://{host}:{port}/")
    if target.literal is not None and is_metadata(target.literal):
        raise ValueError(f"{text.strip()} hands out the keys of a cloud machine")
    return f"{target.host}:{target.port}"


def _host(text: str) -> tuple[str, Address | None]:
    if text.startswith("["):
        try:
            literal = ipaddress.IPv6Address(text[1:-1])
        except ValueError as exc:
            raise ValueError("the host is not an address") from exc
        return str(literal), literal
    try:
        plain = text.rstrip(".").encode("idna").decode("ascii").lower() if text else ""
    except UnicodeError as exc:
        raise ValueError("the host is not a name that can be looked up") from exc
    try:
        address = ipaddress.IPv4Address(plain)
    except ValueError:
        pass
    else:
        return str(address), address
    labels = plain.split(".")
    if len(plain) > _LONGEST_HOST or not all(_LABEL.match(label) for label in labels):
        raise ValueError("the host is not a name that can be looked up")
    if _NUMBER_LIKE.match(labels[-1]):
        raise ValueError("the host is a number in an unusual spelling")
    return plain, None


def _local_name(target: Target) -> str:
    if target.literal is not None:
        return ""
    host = target.host
    if any(host == name or host.endswith(f".{name}") for name in (*_LOCAL_NAMES, *_METADATA_NAMES)):
        return f"{host} is a name of this machine or a local network"
    # A name without a dot is completed by the local network.
    return f"{host} is a name of the local network" if "." not in host else ""


def _is_permitted(target: Target, local_permits: frozenset[str]) -> bool:
    name = f"{target.host}:{target.port}"
    return name in local_permits and target.host not in _METADATA_NAMES


def _unusual(url: str, target: Target) -> str:
    if target.literal is not None:
        return f"{target.host} is a bare address instead of a name"
    if any(label.startswith("xn--") for label in target.host.split(".")):
        return f"the host holds letters of other scripts; its plain form is {target.host}"
    if len(url) > _USUAL_LENGTH:
        return f"the address has {len(url):,} characters, room for a file's content"
    if _KEY_SHAPED.search(url) or _LONG_BLOB.search(url):
        return "the address carries something that looks like a key or a block of data"
    return ""


def _escaped(rest: str) -> str:
    """Path and query in ASCII; what is escaped already stays."""
    return "".join(
        char
        if char.isascii()
        else "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "replace"))
        for char in rest
    )


def _judged(
    url: str,
    word: VerdictWord,
    rule: str,
    reason: str,
    target: Target | None = None,
    *,
    memorable: bool = True,
) -> Judgement:
    targets = () if target is None else (target.authority,)
    part = Part(visible_line(url[:500]), word, rule)
    return Judgement(word, reason, (part,), targets, memorable and word != "deny")
