"""What a call raises."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, cast

from .api import Fault, Problem

AWAY = (408, 429, 502, 503, 504)
SHOWN_FAULTS = 3


class KithError(Exception):
    """A call that failed. Without a status there was no answer."""

    def __init__(
        self, text: str, *, status: int | None = None, problem: Problem | None = None, retry_after: float | None = None, request_id: str = ""
    ) -> None:
        super().__init__(text)
        self.status = status
        self.problem = problem  # as Kith wrote it; None for the answer of something else
        self.retry_after = retry_after  # seconds; None: not named
        self.request_id = request_id  # as in the log of the service

    @property
    def faults(self) -> list[Fault]:
        """What is wrong with the request, each with its place."""
        return self.problem.get("errors", []) if self.problem else []


class KithUnavailable(KithError, ConnectionError):
    """Kith does not answer, not in time, or has too much to do: the same call may work later."""


class KithInvalid(KithError, ValueError):
    """The request has faults, or is too large."""


class KithConflict(KithError):
    """What is stored does not allow it, as another version than the required one."""


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> KithError:
    """Returns the error of an answer. One that is not Kith's, as the page of a proxy, has a status and nothing else."""
    problem = _problem(body)
    kind = KithError
    if status in AWAY:
        kind = KithUnavailable
    elif status in (413, 422):
        kind = KithInvalid
    elif status == HTTPStatus.CONFLICT:
        kind = KithConflict
    after = headers.get("retry-after", "")
    return kind(
        _text(status, problem),
        status=status,
        problem=problem,
        retry_after=float(after) if after.isdecimal() else None,
        request_id=headers.get("x-request-id", ""),
    )


def _problem(body: bytes) -> Problem | None:
    try:
        read: Any = json.loads(body)
    except ValueError:
        return None
    return cast(Problem, read) if isinstance(read, dict) and isinstance(read.get("detail"), str) else None


def _text(status: int, problem: Problem | None) -> str:
    if problem is None:
        name = HTTPStatus(status).phrase.lower() if status in HTTPStatus._value2member_map_ else ""
        return f"{status} {name}".strip()
    faults = problem.get("errors", [])
    text = f"{status} {problem['detail']}"
    for fault in faults[:SHOWN_FAULTS]:
        text += f"; {fault['location']} {fault['message']}"
    if len(faults) > SHOWN_FAULTS:
        text += f"; and {len(faults) - SHOWN_FAULTS} more"
    return text
