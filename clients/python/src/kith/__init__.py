"""Memory for AI agents: a client of Kith.

memory = Kith("http://127.0.0.1:8080", "kith_…", user="noor")
memory.remember("I am allergic to peanuts.")
print(memory.context())
"""

from . import api
from .client import AsyncKith, Kith
from .conversation import AsyncConversation, Conversation
from .error import KithConflict, KithError, KithInvalid, KithUnavailable
from .request import Request

__all__ = [
    "AsyncConversation",
    "AsyncKith",
    "Conversation",
    "Kith",
    "KithConflict",
    "KithError",
    "KithInvalid",
    "KithUnavailable",
    "Request",
    "api",
]
