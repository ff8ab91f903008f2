"""Keeping secrets out of what is written down: by what looks like one, and by known values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

MASK = "(masked)"
REFUSED_KINDS = frozenset({"Secret", "TokenRequest", "TokenReview"})
_WORD = r"(?:token|password|passwd|secret|api[-_]?key|client-key-data|authorization)"
_SECRET_KEY = re.compile(rf"(?i){_WORD}$")
_BEFORE_VALUE = rf"(?i)([\w.-]*{_WORD}\\?[\"']?\s*[:=]\s*)"
_IN_TEXT = (
    (re.compile(r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*KEY-----|\Z)"), MASK),
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}"), rf"\1 {MASK}"),
    (re.compile(r"\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*"), MASK),
    (re.compile(rf"{_BEFORE_VALUE}(\\?\"|')(?!bearer|basic)[^\"'\\]+"), rf"\1\2{MASK}"),
    (re.compile(rf"{_BEFORE_VALUE}(?!bearer|basic|\()[^\s,;\"'{{}}\[\]\\]+"), rf"\1{MASK}"),
)
_SECRET_NAME = re.compile(r"(?i)(token|passw(or)?d|secret|api[-_]?key|private[-_]?key|credential)")
_SECRET_FLAG = re.compile(r"(?i)^-.*(token|passw(or)?d|secret|api[-_]?key)[^=]*$")
_KUBECONFIG_KEYS = frozenset({"token", "password", "client-key-data", "id-token", "refresh-token"})
# What is shorter is a word that stands in many harmless places.
SHORTEST = 8

# One look at most texts is enough: nothing of the above is in one without one of these.
_HINT = re.compile(
    r"(?i)token|passw|secret|api[-_]?key|client-key|authorization|bearer|basic|eyJ|PRIVATE KEY"
)


@dataclass(frozen=True)
class Secrets:
    """Values that are known to be secret."""

    values: frozenset[str] = frozenset()

    def mask(self, text: str) -> str:
        """The text without them, nor what looks like a secret."""
        for value in sorted(self.values, key=len, reverse=True):
            text = text.replace(value, MASK)
        return mask(text)

    def masked(self, value: Any, *, keys: bool = True) -> Any:
        """Plain data with every string in it masked; ``keys`` too, unless they are ours."""
        mask = lru_cache(maxsize=None)(self.mask)  # most texts come many times
        return _mapped(value, mask, mask if keys else str)


def _mapped(value: Any, mask: Callable[[str], str], key_mask: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {key_mask(key): _mapped(item, mask, key_mask) for key, item in value.items()}
    if isinstance(value, list):
        return [_mapped(item, mask, key_mask) for item in value]
    return mask(value) if isinstance(value, str) else value


def known(values: Iterable[str]) -> Secrets:
    """Secrets of these values, and of the lines of those that have several."""
    lines = {line.strip() for value in values for line in (value, *value.splitlines())}
    return Secrets(frozenset(line for line in lines if len(line) >= SHORTEST))


def of_environment(environment: Mapping[str, str]) -> Iterator[str]:
    """The values of variables whose name says that they are secret."""
    for name, value in environment.items():
        if _SECRET_NAME.search(name):
            yield value


def of_command(words: Sequence[str]) -> Iterator[str]:
    """What is given to ``--token=x``, ``--token x`` and ``TOKEN=x``."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if equals and _SECRET_NAME.search(name):
            yield value
        elif _SECRET_FLAG.match(word):
            yield following


def of_kubeconfig(value: Any) -> Iterator[str]:
    """Tokens, passwords and keys, wherever they stand in it."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key in _KUBECONFIG_KEYS and isinstance(item, str):
                yield item
            else:
                yield from of_kubeconfig(item)
    elif isinstance(value, list):
        for item in value:
            yield from of_kubeconfig(item)


def mask(text: str) -> str:
    """The text without bearer tokens, passwords and private keys."""
    if _HINT.search(text) is None:
        return text
    for pattern, replacement in _IN_TEXT:
        text = pattern.sub(replacement, text)
    return text


def clean(value: Any) -> Any:
    """A raw object without managed fields, and with secret values masked."""
    if isinstance(value, dict):
        named = value.get("name")
        secret = isinstance(named, str) and bool(_SECRET_KEY.search(named))
        return {
            key: MASK
            if isinstance(item, str) and (_SECRET_KEY.search(key) or (secret and key == "value"))
            else clean(item)
            for key, item in value.items()
            if key != "managedFields"
        }
    if isinstance(value, list):
        return [clean(item) for item in value]
    return mask(value) if isinstance(value, str) else value
