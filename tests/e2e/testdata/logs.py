"""Writes logs of three message APIs with the classes of their makers' packages: one conversation of three requests."""

import json

from anthropic.types import Message
from openai.types.chat import ChatCompletion
from openai.types.responses import Response

IMAGE = "data:image/png;base64,AAAA"
QUESTION, LOOKUP, ANSWER, THANKS, END = (
    "What is the tide at Quay 4?", "I will look it up.", "High water is at 14:10.", "Thank you.", "You are welcome.",
)


def write(path, requests, responses):
    with open(path, "w", encoding="utf-8") as file:
        for request, response in zip(requests, responses, strict=True):
            line = {"request": request, "response": response.model_dump(mode="json")}
            file.write(json.dumps({"timestamp": "2026-01-01T08:00:00Z", **line}) + "\n")


def grow(first, *turns):
    """Returns requests that each have all messages before them."""
    requests, messages = [], list(first)
    for turn in ((), *turns):
        messages = [*messages, *turn]
        requests.append(messages)
    return requests


def chat_completions():
    call = {"id": "call_1", "type": "function", "function": {"name": "tide", "arguments": "{}"}}

    def response(message, reason="stop"):
        return ChatCompletion.model_validate({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1767254400, "model": "m",
            "choices": [{"index": 0, "finish_reason": reason, "logprobs": None, "message": message}],
        })

    responses = [
        response({"role": "assistant", "content": LOOKUP, "refusal": None, "tool_calls": [call]}, "tool_calls"),
        response({"role": "assistant", "content": ANSWER, "refusal": None}),
        response({"role": "assistant", "content": END, "refusal": None}),
    ]
    question = {"role": "user", "content": [{"type": "text", "text": QUESTION}, {"type": "image_url", "image_url": {"url": IMAGE}}]}
    said = [r.choices[0].message.model_dump(mode="json") for r in responses]
    tool = {"role": "tool", "tool_call_id": "call_1", "content": "14:10"}
    requests = grow([{"role": "developer", "content": "Be brief."}, question], [said[0], tool], [said[1], {"role": "user", "content": THANKS}])
    write("openai.jsonl", [{"model": "m", "messages": r} for r in requests], responses)


def responses_api():
    def response(*output):
        return Response.model_validate({
            "id": "resp_1", "object": "response", "created_at": 1767254400, "model": "m", "output": output,
            "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        })

    def message(text):
        return {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": text, "annotations": []}]}

    call = {"id": "fc_1", "call_id": "call_1", "type": "function_call", "name": "tide", "arguments": "{}"}
    responses = [response(message(LOOKUP), call), response(message(ANSWER)), response(message(END))]
    question = {"role": "user", "content": [{"type": "input_text", "text": QUESTION}, {"type": "input_image", "image_url": IMAGE}]}
    output = {"type": "function_call_output", "call_id": "call_1", "output": "14:10"}
    requests = grow([question], [message(LOOKUP), call, output], [message(ANSWER), {"role": "user", "content": THANKS}])
    write("responses.jsonl", [{"model": "m", "instructions": "Be brief.", "input": r} for r in requests], responses)


def messages():
    def response(*content, reason="end_turn"):
        return Message.model_validate({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content,
            "stop_reason": reason, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
        })

    call = {"type": "tool_use", "id": "toolu_1", "name": "tide", "input": {}}
    responses = [
        response({"type": "text", "text": LOOKUP}, call, reason="tool_use"),
        response({"type": "text", "text": ANSWER}), response({"type": "text", "text": END}),
    ]
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    said = [{"role": "assistant", "content": r.model_dump(mode="json")["content"]} for r in responses]
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "14:10"}]}
    requests = grow(
        [{"role": "user", "content": [{"type": "text", "text": QUESTION}, image]}], [said[0], result], [said[1], {"role": "user", "content": THANKS}],
    )
    write("anthropic.jsonl", [{"model": "m", "max_tokens": 9, "system": "Be brief.", "messages": r} for r in requests], responses)


chat_completions()
responses_api()
messages()
