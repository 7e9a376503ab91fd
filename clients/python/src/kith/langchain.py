"""Memory for LangChain agents: middleware, and the message history of chains."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, TypeAlias, cast

from langchain.agents.middleware.types import AgentMiddleware, AgentState, ModelRequest, ModelResponse, PrivateStateAttr
from langchain.tools import ToolRuntime
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage, message_to_dict, messages_from_dict
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.runtime import Runtime
from typing_extensions import NotRequired

from . import api, steps
from .client import Kith
from .error import KithInvalid
from .optional import OptionalMemory, UnknownUser, User, log_failure, one
from .request import Request, Steps, new_key
from .tools import EXPLORE, REMEMBER, Tools

Model: TypeAlias = ModelRequest[Any]


class KithState(AgentState[Any]):
    """What the middleware notes while an agent runs."""

    kith_context: NotRequired[Annotated[str, PrivateStateAttr]]
    kith_conversation: NotRequired[Annotated[str, PrivateStateAttr]]
    kith_stored: NotRequired[Annotated[str, PrivateStateAttr]]  # id of the last message that needs no storing; empty: none


class KithMiddleware(AgentMiddleware[Any, Any, Any]):
    """Puts the context of the user behind the system prompt, adds the tools remember and explore, and stores what was said.

    A thread of the agent is a conversation of Kith. A function as user reads it from the runtime context of the run. Where Kith
    is away, or the function returns no user, the agent runs without memory and the log says so.
    """

    state_schema = KithState

    def __init__(
        self, memory: Kith | None = None, *, user: User = None, max_tokens: int = steps.CONTEXT_TOKENS, tools: bool = True, store: bool = True
    ) -> None:
        super().__init__()
        self._optional = OptionalMemory(memory)
        self._whose, self._max_tokens, self._stores = user, max_tokens, store
        self.tools = kith_tools(self._optional.memory, user=user) if tools else []

    def before_agent(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any]:
        conversation = _conversation(runtime)
        context = self._optional.run("context", lambda: one(self._context(conversation, runtime)))
        return {"kith_conversation": conversation, "kith_context": context or "", "kith_stored": _stored(state)}

    async def abefore_agent(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any]:
        conversation = _conversation(runtime)
        context = await self._optional.arun("context", lambda: one(self._context(conversation, runtime)))
        return {"kith_conversation": conversation, "kith_context": context or "", "kith_stored": _stored(state)}

    def wrap_model_call(self, request: Model, handler: Callable[[Model], ModelResponse[Any]]) -> ModelResponse[Any]:
        return handler(_with_context(request))

    async def awrap_model_call(self, request: Model, handler: Callable[[Model], Awaitable[ModelResponse[Any]]]) -> ModelResponse[Any]:
        return await handler(_with_context(request))

    def after_agent(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
        return self._optional.run("storing messages", lambda: self._store(state, runtime)) if self._stores else None

    async def aafter_agent(self, state: Any, runtime: Runtime[Any]) -> dict[str, Any] | None:
        return await self._optional.arun("storing messages", lambda: self._store(state, runtime)) if self._stores else None

    def _user(self, runtime: Runtime[Any]) -> str | None:
        return self._optional.user(self._whose, runtime.context)

    def _context(self, conversation: str, runtime: Runtime[Any]) -> Request[str]:
        return api.get_context_text(user_id=self._user(runtime), max_tokens=self._max_tokens, conversation_id=conversation)

    def _store(self, state: KithState, runtime: Runtime[Any]) -> Steps[dict[str, Any] | None]:
        try:
            return _storing(state, self._user(runtime))
        except UnknownUser as error:
            log_failure("storing messages", error)
            return _not_storing(state)


def kith_tools(memory: Kith, *, user: User = None) -> list[BaseTool]:
    """Returns the tools remember and explore. A function as user reads it from the runtime context of the call."""
    optional, tools = OptionalMemory(memory), Tools(memory)

    def whose(runtime: ToolRuntime[Any, Any]) -> str | None:
        return optional.user(user, runtime.context)  # raises an UnknownUser

    def remember(text: str, runtime: ToolRuntime[Any, Any]) -> str:
        return _refusing(lambda: tools.remember(text, lambda: whose(runtime)))

    async def aremember(text: str, runtime: ToolRuntime[Any, Any]) -> str:
        return await _arefusing(tools.aremember(text, lambda: whose(runtime)))

    def explore(query: str, runtime: ToolRuntime[Any, Any]) -> str:
        return _refusing(lambda: tools.explore(query, lambda: whose(runtime)))

    async def aexplore(query: str, runtime: ToolRuntime[Any, Any]) -> str:
        return await _arefusing(tools.aexplore(query, lambda: whose(runtime)))

    return [
        StructuredTool.from_function(remember, aremember, name="remember", description=REMEMBER, handle_tool_error=True),
        StructuredTool.from_function(explore, aexplore, name="explore", description=EXPLORE, handle_tool_error=True),
    ]


class KithChatMessageHistory(BaseChatMessageHistory):
    """The messages of a session, exactly as they were given. Errors are raised: without Kith there is no history."""

    def __init__(self, session_id: str, memory: Kith | None = None, *, user: str | None = None) -> None:
        self._memory, self._id = memory or Kith(), session_id
        self._user = self._memory.user if user is None else user

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # a property, as the base class allows
        return self._memory.run(self._read())

    async def aget_messages(self) -> list[BaseMessage]:
        return await self._memory.as_async().run(self._read())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        self._memory.run(steps.store(self._id, [_exact(message) for message in messages], self._user))

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        await self._memory.as_async().run(steps.store(self._id, [_exact(message) for message in messages], self._user))

    def clear(self) -> None:
        self._memory.run(steps.clear(self._id, self._user))

    async def aclear(self) -> None:
        await self._memory.as_async().run(steps.clear(self._id, self._user))

    def _read(self) -> Steps[list[BaseMessage]]:
        stored = yield from steps.messages(self._id, self._user)
        return [_message(message) for message in stored]


def _storing(state: KithState, user: str | None) -> Steps[dict[str, Any] | None]:
    """A message that is stored again under its key changes nothing."""
    messages = _after(state["messages"], state.get("kith_stored", ""))
    conversation = state.get("kith_conversation") or new_key()
    said = [_said(conversation, message) for message in messages if isinstance(message, (HumanMessage, AIMessage)) and message.text]
    if not said:
        return None
    yield from steps.store(conversation, said, user)
    return {"kith_stored": messages[-1].id}


def _not_storing(state: KithState) -> Steps[dict[str, Any] | None]:
    """Sends nothing, and notes all messages as done: what an unknown user said is not stored for the user of a later run."""
    yield from ()
    return {"kith_stored": state["messages"][-1].id} if state["messages"] else None


def _conversation(runtime: Runtime[Any]) -> str:
    """Returns the id of the thread; a new one for an agent without threads."""
    return (runtime.execution_info and runtime.execution_info.thread_id) or new_key()


def _with_context(request: Model) -> Model:
    context = cast(KithState, request.state).get("kith_context")
    if not context:
        return request
    before = request.system_message
    if before is None:
        message = SystemMessage(content=context)
    elif isinstance(before.content, str):
        message = SystemMessage(content=f"{before.content}\n\n{context}")
    else:
        message = SystemMessage(content=[*before.content, {"type": "text", "text": context}])
    return request.override(system_message=message)


def _question(messages: Sequence[AnyMessage]) -> int:
    """Returns the place of the last message of the user."""
    return max((i for i, message in enumerate(messages) if isinstance(message, HumanMessage)), default=0)


def _stored(state: KithState) -> str:
    """Returns the id of the last message that needs no storing.

    In a new thread that is the one before the question: earlier messages are the program's own history and are not stored.
    """
    noted, question = state.get("kith_stored"), _question(state["messages"])
    if noted is not None:
        return noted
    return state["messages"][question - 1].id or "" if question else ""


def _after(messages: Sequence[AnyMessage], stored: str) -> Sequence[AnyMessage]:
    """Returns what is to be stored; if the last that was stored is no longer there, the question and its answer."""
    if not stored:
        return messages
    place = next((i + 1 for i, message in enumerate(messages) if message.id == stored), None)
    return messages[_question(messages) if place is None else place :]


def _said(conversation: str, message: HumanMessage | AIMessage) -> api.MessageWrite:
    said: api.MessageWrite = {"role": "user" if isinstance(message, HumanMessage) else "assistant", "text": steps.storable(str(message.text))}
    if message.id:
        said["entity_key"] = f"{conversation}/{message.id}"[-256:]
    return said


ROLES = {"human": "user", "ai": "assistant"}


def _message(stored: api.Message) -> BaseMessage:
    """Returns a message as it was given. One that something else stored has its role and its text."""
    parts: Any = stored.get("parts")
    if parts:
        return messages_from_dict(parts)[0]
    return AIMessage(stored["text"]) if stored["role"] == "assistant" else HumanMessage(stored["text"])


def _exact(message: BaseMessage) -> api.MessageWrite:
    return {"role": ROLES.get(message.type, message.type), "text": steps.storable(str(message.text)), "parts": [message_to_dict(message)]}


def _refusing(call: Callable[[], str]) -> str:
    try:
        return call()
    except KithInvalid as error:
        raise ToolException(str(error)) from error


async def _arefusing(call: Awaitable[str]) -> str:
    try:
        return await call
    except KithInvalid as error:
        raise ToolException(str(error)) from error
