import { jsonSchema, type Tool, tool } from "ai";
import { type Kith, KithError } from "../index.js";
import { type Forgotten, forgetSchema, type Looked, exploreSchema, type Remembered, rememberSchema } from "./schema.js";

export interface ToolOptions {
  /** Whose memory it is. */
  user: string;
  /** Milliseconds that a call may take; default 10,000. */
  timeout?: number | undefined;
  /** Logs that the memory is away; default: console.warn. */
  warn?: ((message: string) => void) | undefined;
}

export type KithTools = {
  remember: Tool<Remembered, string>;
  explore: Tool<Looked, string>;
  forget: Tool<Forgotten, string>;
};

/**
 * Returns tools with which a model looks into the memory of a user and changes it. A wrong call throws an error that says
 * what would be right, which the SDK gives to the model as the result of the call.
 */
export function kithTools(memory: Kith, options: ToolOptions): KithTools {
  const { user, timeout = 10_000, warn = console.warn } = options;

  async function call(name: string, input: object, signal: AbortSignal | undefined, repeatable: boolean): Promise<string> {
    const { text, isError } = await memory.callTool(name, { ...input, user_id: user }, { timeout, signal, repeatable }).catch((error: unknown) => {
      if (!(error instanceof KithError)) throw error;
      warn(`The tool ${name} failed: ${error.message}`);
      throw error.unavailable ? new Error("The memory is not available now: go on without it.", { cause: error }) : error;
    });
    if (isError) {
      warn(`The tool ${name} failed: ${text.split("\n", 1)[0]}`); // the lines after it may have names of what is stored
      throw new Error(text);
    }
    return text;
  }

  return {
    remember: tool({
      description: "Store what the user says that will matter in another conversation. What is stored already, by name, is changed. Not for guesses or secrets.",
      inputSchema: jsonSchema<Remembered>(rememberSchema),
      execute: (input, { abortSignal }) => call("remember", input, abortSignal, !contradicts(input)),
    }),
    explore: tool({
      description: "Search the memory of the user: people, things and past conversations. Not for what the context already says.",
      inputSchema: jsonSchema<Looked>(exploreSchema),
      execute: ({ query }, { abortSignal }) => call("explore", { queries: [query] }, abortSignal, true),
    }),
    forget: tool({
      description: "Delete from the memory, only when the user asks for it. For what has changed, use remember.",
      inputSchema: jsonSchema<Forgotten>(forgetSchema),
      execute: ({ names }, { abortSignal }) => call("forget", { entity_keys: names }, abortSignal, false), // again it would say: not found
    }),
  };
}

/** Reports whether a call replaces relationships: each time it is sent, it ends the current one and adds another. */
function contradicts(input: Remembered): boolean {
  return Array.isArray(input.relationships) && input.relationships.some((one) => one?.contradicts); // as a model wrote it
}
