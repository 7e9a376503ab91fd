import { KithError } from "./error.js";

/** What a tool of Kith answers to a model. */
export interface ToolAnswer {
  text: string;
  /** The call was wrong, and the text says what would be right. */
  isError: boolean;
}

interface Envelope {
  result?: { content?: { type?: unknown; text?: unknown }[]; isError?: unknown };
  error?: { message?: unknown };
}

/** Reads an answer of MCP. */
export function toolAnswerOf(name: string, answer: unknown): ToolAnswer {
  const { result, error } = (answer ?? {}) as Envelope;
  if (!Array.isArray(result?.content)) {
    throw new KithError(`tool ${name}`, typeof error?.message === "string" ? error.message : "the answer is not Kith's", { status: 422 });
  }
  const texts = result.content.filter((part) => part.type === "text").map((part) => String(part.text));
  return { text: texts.join("\n"), isError: result.isError === true };
}
