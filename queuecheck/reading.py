"""Reading files that people write: small, text, whole, and what they seem to be.

YAML may name a part and repeat it. What unfolds to more than a file could hold, or contains
itself, is refused before anything walks through it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

LARGEST = 1_000_000  # bytes; what is larger was not written by hand, and is not worth the memory
MOST_NODES = 100_000
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Unreadable(Exception):
    """The file cannot be used; the message begins with its name, and is one line."""


class _Strict(LOADER):  # type: ignore[misc]  # which of the two is known at run time only
    """Refuses a key that is given twice: the first would be lost without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise yaml.MarkedYAMLError(
                    problem=f"key {key.value!r} is there twice", problem_mark=key.start_mark
                )
            seen.add(str(key.value))
        mapping: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return mapping


def read_written(file: Path) -> str:
    """The text of the file. Raises Unreadable; no more of it is read than is allowed."""
    try:
        with file.open("rb") as opened:
            content = opened.read(LARGEST + 1)
    except OSError as error:
        raise Unreadable(f"{file}: {error.strerror}") from error
    except ValueError as error:  # a zero byte in the name
        raise Unreadable(f"{str(file)!r}: {error}") from error
    if len(content) > LARGEST:
        raise Unreadable(f"{file}: more than {LARGEST // 1_000_000} MB; is it the right file?")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(f"{file}: it is not UTF-8 text") from error


def read_yaml(file: Path) -> object:
    """The one document of the file. Raises Unreadable, with the line where there is one."""
    text = read_written(file)
    try:
        return _document(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f":{mark.line + 1}" if mark else ""
        problem = error.problem or error.context
        raise Unreadable(f"{file}{line}: not usable YAML: {problem}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise Unreadable(f"{file}: not usable YAML: {reason}") from error


def _document(text: str) -> object:
    loader = _Strict(text)
    try:
        root = loader.get_single_node()
        if root is None:
            return None
        if _nodes(root, {}) > MOST_NODES:
            raise yaml.MarkedYAMLError(
                problem=f"its anchors unfold to more than {MOST_NODES} values"
            )
        return loader.construct_document(root)
    finally:
        loader.dispose()


def _nodes(node: yaml.Node, known: dict[int, int | None]) -> int:
    """How many there are with every anchor unfolded. Raises MarkedYAMLError for a cycle."""
    if isinstance(node, yaml.ScalarNode):
        return 1
    if id(node) in known:
        number = known[id(node)]
        if number is None:
            raise yaml.MarkedYAMLError(
                problem="an anchor contains itself", problem_mark=node.start_mark
            )
        return number
    known[id(node)] = None
    children = (
        [each for pair in node.value for each in pair]
        if isinstance(node, yaml.MappingNode)
        else node.value
    )
    number = known[id(node)] = 1 + sum(_nodes(each, known) for each in children)
    return number
