"""The backend of Anthropic's memory tool: files below /memories, kept as items with their history."""

from __future__ import annotations

from http import HTTPStatus
from typing import TypeVar

from anthropic.lib.tools import ToolError
from anthropic.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand as Create,
    BetaMemoryTool20250818DeleteCommand as Delete,
    BetaMemoryTool20250818InsertCommand as Insert,
    BetaMemoryTool20250818RenameCommand as Rename,
    BetaMemoryTool20250818StrReplaceCommand as StrReplace,
    BetaMemoryTool20250818ViewCommand as View,
)

from . import files
from .client import Kith
from .error import KithConflict, KithError, KithInvalid
from .files import FileError
from .optional import AWAY, log_failure
from .request import Steps

T = TypeVar("T")


class KithMemoryTool(BetaAbstractMemoryTool):
    """Pass it to client.beta.messages.run_tools. What fails is a ToolError, which the model reads."""

    def __init__(self, memory: Kith | None = None, *, user: str | None = None) -> None:
        super().__init__()
        self._memory = memory or Kith()
        self._user = self._memory.user if user is None else user

    def view(self, command: View) -> str:
        return self._run(files.view(self._user, command.path, command.view_range))

    def create(self, command: Create) -> str:
        return self._run(files.create(self._user, command.path, command.file_text))

    def str_replace(self, command: StrReplace) -> str:
        return self._run(files.str_replace(self._user, command.path, command.old_str, command.new_str))

    def insert(self, command: Insert) -> str:
        return self._run(files.insert(self._user, command.path, command.insert_line, command.insert_text))

    def delete(self, command: Delete) -> str:
        return self._run(files.delete(self._user, command.path))

    def rename(self, command: Rename) -> str:
        return self._run(files.rename(self._user, command.old_path, command.new_path))

    def clear_all_memory(self) -> str:
        return self._run(files.clear(self._user))

    def _run(self, work: Steps[T]) -> T:
        try:
            return self._memory.run(work)
        except (FileError, KithError) as error:
            raise _tool_error(error) from error


class AsyncKithMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for AsyncAnthropic."""

    def __init__(self, memory: Kith | None = None, *, user: str | None = None) -> None:
        super().__init__()
        self._memory = memory or Kith()
        self._user = self._memory.user if user is None else user

    async def view(self, command: View) -> str:
        return await self._run(files.view(self._user, command.path, command.view_range))

    async def create(self, command: Create) -> str:
        return await self._run(files.create(self._user, command.path, command.file_text))

    async def str_replace(self, command: StrReplace) -> str:
        return await self._run(files.str_replace(self._user, command.path, command.old_str, command.new_str))

    async def insert(self, command: Insert) -> str:
        return await self._run(files.insert(self._user, command.path, command.insert_line, command.insert_text))

    async def delete(self, command: Delete) -> str:
        return await self._run(files.delete(self._user, command.path))

    async def rename(self, command: Rename) -> str:
        return await self._run(files.rename(self._user, command.old_path, command.new_path))

    async def clear_all_memory(self) -> str:
        return await self._run(files.clear(self._user))

    async def _run(self, work: Steps[T]) -> T:
        try:
            return await self._memory.as_async().run(work)
        except (FileError, KithError) as error:
            raise _tool_error(error) from error


def _tool_error(error: FileError | KithError) -> ToolError:
    """Returns what the model reads. What it can do nothing about goes to the log."""
    if isinstance(error, (FileError, KithInvalid)):
        return ToolError(str(error))
    if isinstance(error, KithConflict):
        return ToolError("The file was changed meanwhile: view it and try again.")
    log_failure("a memory file", error)
    return ToolError("The memory does not allow this. Go on without it." if error.status == HTTPStatus.FORBIDDEN else AWAY)
