import { simulateReadableStream } from "ai";
import { MockLanguageModelV3 } from "ai/test";

/** What a model does when it is called: speak, call a tool, or fail. With hangs its stream stays open; cancelling it calls hangs. */
export type Act = { says?: string; calls?: { tool: string; input: unknown }; fails?: true; hangs?: () => void };

type Generated = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>;
type Streamed = Awaited<ReturnType<MockLanguageModelV3["doStream"]>>;
type Part = Streamed["stream"] extends ReadableStream<infer P> ? P : never;

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** Returns a model that acts by a script, and repeats its last act. */
export function scriptedModel(...acts: Act[]): MockLanguageModelV3 {
  let calls = 0;
  const next = () => acts[Math.min(calls++, acts.length - 1)] ?? {};
  return new MockLanguageModelV3({
    doGenerate: async () => generated(next(), calls),
    doStream: async () => ({ stream: streamOf(next(), calls) }),
  });
}

/** Returns the texts of a prompt with a role, as the model got them. */
export function textsOf(prompt: MockLanguageModelV3["doGenerateCalls"][number]["prompt"] | undefined, role: "system" | "user" | "assistant" | "tool"): string[] {
  return (prompt ?? []).filter((message) => message.role === role).map((message) => (typeof message.content === "string" ? message.content : JSON.stringify(message.content)));
}

function streamOf(act: Act, n: number): ReadableStream<Part> {
  const chunks = parts(act, n);
  const { hangs } = act;
  if (!hangs) return simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null });
  return new ReadableStream<Part>({
    start: (out) => chunks.slice(0, -1).forEach((part) => out.enqueue(part)), // without the finish
    cancel: () => hangs(),
  });
}

function generated(act: Act, n: number): Generated {
  if (act.fails) throw new Error("the model fails");
  const content: Generated["content"] = [];
  if (act.says !== undefined) content.push({ type: "text", text: act.says });
  if (act.calls) content.push({ type: "tool-call", toolCallId: `call-${n}`, toolName: act.calls.tool, input: JSON.stringify(act.calls.input) });
  return { content, finishReason: reason(act), usage, warnings: [] };
}

function parts(act: Act, n: number): Part[] {
  const out: Part[] = [{ type: "stream-start", warnings: [] }];
  if (act.says !== undefined) {
    out.push({ type: "text-start", id: "1" });
    for (const delta of act.says.match(/.{1,3}/gsu) ?? []) out.push({ type: "text-delta", id: "1", delta });
    out.push({ type: "text-end", id: "1" });
  }
  if (act.fails) out.push({ type: "error", error: new Error("the model fails") });
  if (act.calls) out.push({ type: "tool-call", toolCallId: `call-${n}`, toolName: act.calls.tool, input: JSON.stringify(act.calls.input) });
  out.push({ type: "finish", finishReason: reason(act), usage });
  return out;
}

function reason(act: Act): Generated["finishReason"] {
  return act.calls ? { unified: "tool-calls", raw: undefined } : { unified: "stop", raw: undefined };
}
