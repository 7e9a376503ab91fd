"""Requests, which are made in one place and sent by a sync or an async client."""

from __future__ import annotations

import secrets
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote

T = TypeVar("T")


@dataclass(frozen=True)
class Request(Generic[T]):
    """A request whose answer is a T."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    again: bool = False  # may be repeated
    key: str | None = None  # idempotency key
    text: bool = False  # the answer is a text


Steps = Generator[Request[Any], Any, T]
"""Requests that follow from one another: it yields them, is sent their answers, and returns a T."""


def new_key() -> str:
    """Returns a random key."""
    return secrets.token_hex(16)


def segment(text: str) -> str:
    """Returns a text as one segment of a path."""
    return quote(text, safe="")
