"""No second way to a program, a written file or the network: read from the syntax tree."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "kinet"

# The only files that start programs.
PROGRAMS = {
    "tools/processes/process.py",
    "tools/processes/process_tree.py",
    "tools/processes/program.py",
}
# The rooms that a model's call passes, and the only files there that write or reach the network.
ROOMS = ("tools", "engine", "policy")
WRITERS = {
    "tools/files/file_access.py",
    "tools/files/trash_bin.py",
    "tools/files/file_write.py",
    "tools/processes/process_runner.py",
    "tools/processes/process.py",
    "tools/processes/program.py",
    "tools/processes/kept_output.py",
    "tools/processes/whole_output.py",
    "tools/processes/guarded_places.py",
    # A file of its own, in which a command leaves the folder it ended in.
    "tools/processes/working_folder.py",
    "policy/rules.py",
    "engine/context/kept_calibration.py",
}
# The search services have fixed hosts, or the person's own, and use the client all others use.
NETWORK = {"tools/web/web_transport.py", "policy/network.py", "tools/web/search_services.py"}
WRITING = {"write_text", "write_bytes", "rename", "replace", "unlink", "mkdir", "symlink", "rmtree",
           "copyfile", "copy2", "move", "makedirs", "symlink_to", "hardlink_to", "chmod",
           "remove", "mkstemp", "mkdtemp", "NamedTemporaryFile", "TemporaryFile",
           "TemporaryDirectory"}  # fmt: skip
STARTING = {"system", "popen", "execv", "execve", "execvp", "spawnv", "spawnl", "posix_spawn",
            "fork", "forkpty", "startfile", "create_subprocess_exec",
            "create_subprocess_shell"}  # fmt: skip


@functools.cache
def trees(*rooms: str) -> list[tuple[str, ast.Module]]:
    found = []
    for room in rooms or (".",):
        for path in sorted((ROOT / room).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found.append((path.relative_to(ROOT).as_posix(), tree))
    return found


def imported(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


def called_of_modules(tree: ast.Module, modules: set[str]) -> set[str]:
    """Names of functions called as module.function."""
    return {
        node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in modules
    }


def test_programs_are_started_in_three_places_only() -> None:
    starters = {
        path
        for path, tree in trees()
        if "subprocess" in imported(tree) or "multiprocessing" in imported(tree)
    }
    assert starters <= PROGRAMS
    for path, tree in trees():
        started = called_of_modules(tree, {"os", "asyncio"}) & STARTING
        # The runner is the one program that becomes the command.
        assert not started or path == "tools/processes/process_runner.py", (path, started)


def test_the_network_is_reached_through_one_checked_place() -> None:
    reaching = {
        path
        for path, tree in trees(*ROOMS)
        if imported(tree) & {"socket", "httpx", "httpcore", "urllib3", "requests", "aiohttp"}
    }
    assert reaching <= NETWORK


def test_files_are_written_in_a_few_places_only() -> None:
    for path, tree in trees(*ROOMS):
        if path in WRITERS:
            continue
        assert not called_of_modules(tree, {"os", "shutil", "tempfile"}) & WRITING, path
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            if isinstance(node.func, ast.Attribute):
                assert node.func.attr not in {"write_text", "write_bytes", "symlink_to"}, path
            if isinstance(node.func, ast.Name) and node.func.id == "open":
                modes = [arg.value for arg in node.args[1:2] if isinstance(arg, ast.Constant)]
                assert all(set(str(mode)) <= set("rb") for mode in modes), path
