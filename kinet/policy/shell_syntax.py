"""Reads a shell text with a real parser: which commands it holds, and whether it is plain."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kinet.policy.shell_words import PlainCommand, split_plain

# Anything else (expansions, substitutions, redirections to files, keywords, …) is not plain.
_PLAIN_NODES = frozenset({
    "program", "list", "pipeline", "command", "command_name", "word", "raw_string", "string",
    "string_content", "number", "redirected_statement", "file_redirect", "file_descriptor",
    "concatenation", "test_command", "unary_expression", "test_operator", "[", "]",
    "&&", "||", "|", ";", "\n", '"', ">", ">>", ">&", "&>",
})  # fmt: skip
# All else that stands in a command or a redirection is a word of it, of whatever form.
_NO_WORDS = frozenset({
    "variable_assignment", "file_redirect", "heredoc_redirect", "herestring_redirect",
    "file_descriptor", "comment",
})  # fmt: skip
_ESCAPED_MARKS = ("\\(", "\\)", "\\!")
_MOST_NODES = 20_000
_MOST_OPENINGS = 200
_MOST_SEPARATORS = 400


@dataclass(frozen=True, slots=True)
class Syntax:
    """What a text holds. `plain` is None where it cannot be proved plain.

    `loose` are the words of every command anywhere in it, as written but for quotes, and
    `redirected` the files it redirects to; both are for recognising what must never run.
    """

    plain: tuple[PlainCommand, ...] | None
    loose: tuple[tuple[str, ...], ...]
    redirected: tuple[str, ...]
    trouble: str = ""


def parser_available() -> bool:
    """True if the parser is installed; without it every command is asked about."""
    return _parser() is not None


def read_syntax(text: str) -> Syntax:
    """Parses the text. Never raises."""
    parser = _parser()
    if parser is None:
        return Syntax(None, (), (), "the shell parser is not installed")
    if sum(text.count(opening) for opening in "({[`") > _MOST_OPENINGS:
        # Deep nesting costs the parser more time than a verdict may take.
        return Syntax(None, (), (), "it is nested too deeply")
    if sum(text.count(mark) for mark in ("|", ";", "&", "\n", "<<")) > _MOST_SEPARATORS:
        # Many commands in a text that is none cost it as much.
        return Syntax(None, (), (), "it has too many parts")
    root = parser.parse(text.encode("utf-8", "replace")).root_node
    loose: list[tuple[str, ...]] = []
    redirected: list[str] = []
    odd = ""
    joined = False
    for count, node in enumerate(_all(root)):
        if count > _MOST_NODES:
            return Syntax(None, tuple(loose), tuple(redirected), "it has too many parts")
        if node.type not in _PLAIN_NODES or node.is_missing:
            odd = odd or node.type
        joined = joined or node.type == "concatenation"
        if node.type in ("command", "test_command"):
            loose.append(_command_words(node))
        elif node.type == "file_redirect":
            redirected += [_unquoted(child) for child in node.children if _is_word(child)]
    if root.has_error:
        return Syntax(None, tuple(loose), tuple(redirected), "it cannot be parsed without error")
    if odd:
        return Syntax(None, tuple(loose), tuple(redirected), _in_words(odd))
    plain = split_plain(text, patterns=True)
    # Two readers that know nothing of each other have to agree on every word.
    if plain is None or [command.words for command in plain] != loose:
        trouble = _in_words("concatenation") if joined else "it is not made of plain words only"
        return Syntax(None, tuple(loose), tuple(redirected), trouble)
    return Syntax(plain, tuple(loose), tuple(redirected))


@functools.cache
def _parser() -> Any:
    try:
        import tree_sitter_bash
        from tree_sitter import Language, Parser
    except ImportError:
        return None
    return Parser(Language(tree_sitter_bash.language()))


def _all(root: Any) -> Iterator[Any]:
    """Every node, parents first, in the order of the text; without recursion."""
    todo = [root]
    while todo:
        node = todo.pop()
        yield node
        todo += reversed(node.children)


def _command_words(node: Any) -> tuple[str, ...]:
    words: list[str] = []
    for child in node.children:
        if child.type in ("command_name", "unary_expression"):
            words += [_unquoted(inner) for inner in child.children]
        elif child.type in ("[", "]"):
            words.append(child.type)
        elif _is_word(child):
            words.append(_unquoted(child))
    return tuple(words)


def _is_word(node: Any) -> bool:
    return bool(node.is_named) and node.type not in _NO_WORDS


def _unquoted(node: Any) -> str:
    text = node.text.decode("utf-8", "replace")
    if node.type == "raw_string":
        return str(text[1:-1])
    if node.type == "string":
        inner = text[1:-1]
        for char in '"\\$`':
            inner = inner.replace(f"\\{char}", char) if char != "\\" else inner
        return str(inner.replace("\\\\", "\\"))
    if node.type == "concatenation":
        return "".join(_unquoted(child) for child in node.children)
    return str(text[1:] if text in _ESCAPED_MARKS else text)


# What a grammar calls them, in words of people.
_FORMS = {
    "for_statement": "a loop",
    "c_style_for_statement": "a loop",
    "while_statement": "a loop",
    "if_statement": "a condition",
    "case_statement": "a choice",
    "test_command": "a test",
    "compound_statement": "a group of commands",
    "negated_command": "a negation",
    "ERROR": "something that cannot be read",
}


def _in_words(node_type: str) -> str:
    known = {
        "simple_expansion": "it uses a variable",
        "expansion": "it uses a variable",
        "command_substitution": "it runs a command inside another ($(…))",
        "process_substitution": "it runs a command inside another (<(…))",
        "subshell": "it uses a subshell",
        "heredoc_redirect": "it uses a here-document",
        "herestring_redirect": "it uses a here-string",
        "variable_assignment": "it sets a variable",
        "variable_assignments": "it sets variables",
        "comment": "it holds a comment",
        "concatenation": "it joins quoted pieces to words",
        "&": "it leaves a process in the background",
        "function_definition": "it defines a function",
        "declaration_command": "it changes the shell's environment",
        "file_redirect": "it redirects to a file",
    }
    if node_type in known:
        return known[node_type]
    what = _FORMS.get(node_type, node_type.replace("_", " "))
    return f"it uses more than plain commands ({what})"
