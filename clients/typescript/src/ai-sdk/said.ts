import type { LanguageModelMiddleware } from "ai";
import type { Said } from "../index.js";

type CallParams = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"];

/** The messages of a call of a language model. */
export type Prompt = CallParams["prompt"];

/** Whose talk it is. */
export interface Talk {
  user: string;
  conversation?: string | undefined;
}

const maxText = 65_536; // characters of a message

/**
 * Returns what the user has said since the model last spoke. Each message gets a key, so that the same prompt, sent again,
 * stores it once. The key is made of the id that the program gave the message (providerOptions.kith.id), or else of all that
 * was said up to it: then a program that sends a part of what was said, and the same texts again, sends the same message.
 */
export async function newlySaid(talk: Talk, prompt: Prompt): Promise<Said[]> {
  const said: Said[] = [];
  for (let i = prompt.length - 1; i >= 0 && prompt[i]?.role === "user"; i--) {
    const text = textOf(prompt[i]);
    if (text !== "") said.unshift({ role: "user", text: storable(text), entity_key: await keyOf(talk, prompt.slice(0, i + 1)) });
  }
  return said;
}

/** Returns the turn that a prompt belongs to: all that was said up to the user's last message. */
export function turnOf(talk: Talk, prompt: Prompt): string {
  return history(talk, prompt.slice(0, prompt.findLastIndex((message) => message.role === "user") + 1));
}

/** Returns a text as Kith can store it: without NUL and halves of characters, and not too long. */
export function storable(text: string): string {
  const whole = text.replaceAll("\0", "\uFFFD").toWellFormed();
  return whole.length <= maxText ? whole : [...whole].slice(0, maxText).join("");
}

/** Returns the texts of a message, without files, reasoning and calls of tools. */
function textOf(message: Prompt[number] | undefined): string {
  if (!message || message.role === "system") return "";
  return message.content.map((part) => (part.type === "text" ? part.text : "")).filter((text) => text !== "").join("\n");
}

function history(talk: Talk, prompt: Prompt): string {
  const said = prompt.filter((message) => message.role === "user" || message.role === "assistant");
  return JSON.stringify([talk.user, talk.conversation ?? null, said.map((message) => [message.role, textOf(message)])]);
}

async function keyOf(talk: Talk, prompt: Prompt): Promise<string> {
  const last = prompt.at(-1);
  const id = last?.providerOptions?.["kith"]?.["id"];
  const unique = typeof id === "string" ? JSON.stringify([talk.user, talk.conversation ?? null, { id }, textOf(last)]) : history(talk, prompt);
  const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(unique));
  return Array.from(new Uint8Array(sum, 0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
