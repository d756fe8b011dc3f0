"""The way to web pages, as the connection settings have it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kinet.settings.schema import Network

if TYPE_CHECKING:
    from kinet.tools.web.web_transport import Reach


def web_reach(network: Network) -> Reach:
    """How a page is fetched: the extra certificates, and a proxy only if one is set here.

    What the environment names is not asked: it would take the place of checked addresses unseen.
    """
    from kinet.net.client import single_transport
    from kinet.tools.web.web_transport import Reach

    own = partial(single_transport, ca_file=network.ca_file or None)
    proxy = partial(own, proxy=network.proxy) if network.proxy else None
    return Reach(transport=own, proxy=proxy, no_proxy=network.no_proxy)
