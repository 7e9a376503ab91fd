import createClient, { type Client } from "openapi-fetch";
import type { components, operations, paths } from "./contract.js";
import { Conversation } from "./conversation.js";
import { errorOf, KithError } from "./error.js";
import { newId } from "./id.js";
import { isRepeatable, type Limits, send, type Sending } from "./send.js";
import { type ToolAnswer, toolAnswerOf } from "./tool.js";

type Schemas = components["schemas"];

/** The generated client: one typed call for each operation of the contract. */
export type Api = Client<paths, `application/${string}`>;

export interface KithOptions {
  /** Address of the service; default: KITH_URL of the environment, or http://127.0.0.1:8080. */
  url?: string;
  /** API key; default: KITH_KEY of the environment. */
  key?: string;
  /** Sends the requests; default: the platform's. */
  fetch?: typeof fetch;
  /** Milliseconds that a call may take with all attempts; default 30,000. */
  timeout?: number;
  /** Most further attempts of a call; default 4. */
  retries?: number;
}

/** Options that every call takes. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds that this call may take with all attempts. */
  timeout?: number | undefined;
  /** Most further attempts of this call. */
  retries?: number | undefined;
}

/** Options of calls that share one deadline. For the parts of this package. */
export interface TogetherOptions extends CallOptions {
  deadline?: AbortSignal;
}

export interface ContextOptions extends CallOptions {
  /** text (default): Markdown for a prompt; json: an object. */
  format?: "text" | "json" | undefined;
  /** Most o200k tokens of the text, 100 to 100,000; default 1,300. */
  maxTokens?: number | undefined;
  /** Id of the open conversation, which is not part of its own past. */
  conversation?: string | undefined;
  /** IANA name of the time zone in which the context states the time. */
  timeZone?: string | undefined;
}

export interface ExploreOptions extends CallOptions {
  /** text (default): Markdown for a prompt; json: an object. */
  format?: "text" | "json" | undefined;
  /** Most o200k tokens of the answer, 100 to 100,000; default 500 of a text. */
  maxTokens?: number | undefined;
  /** Most hits. */
  limit?: number | undefined;
  /** Id of the open conversation, for times such as "our last session". */
  conversation?: string | undefined;
}

/** Nodes and relationships to store. All or nothing, unless strict is false. */
export type Memory = Omit<Schemas["MemoryWrite"], "user_id">;

/** Calls Kith. */
export class Kith {
  /** The whole API, typed. Its calls return `{ data, error, response }`; they are sent and retried as all calls. */
  readonly api: Api;
  readonly #url: string;
  readonly #timeout: number;
  readonly #retries: number;
  readonly #sending: Sending;

  constructor(options: KithOptions = {}) {
    this.#url = addressOf(options.url ?? environment("KITH_URL") ?? "http://127.0.0.1:8080");
    const key = keyOf(options.key ?? environment("KITH_KEY") ?? "");
    this.#timeout = options.timeout ?? 30_000;
    this.#retries = options.retries ?? 4;
    this.#sending = { key, fetch: options.fetch ?? ((request) => fetch(request)) };
    this.api = createClient({
      baseUrl: this.#url,
      fetch: (request) => send(this.#sending, request, isRepeatable(request), this.#limits({})),
    });
  }

  /** Returns what an agent should know about a user, as text for a prompt or as an object. */
  context(user: string, options: ContextOptions & { format: "json" }): Promise<Schemas["AgentContext"]>;
  context(user: string, options?: ContextOptions & { format?: "text" | undefined }): Promise<string>;
  context(user: string, options: ContextOptions = {}): Promise<string | Schemas["AgentContext"]> {
    const format = options.format ?? "text";
    const query: NonNullable<operations["get-context"]["parameters"]["query"]> = {
      user_id: user,
      format,
      ...given("max_tokens", format === "text" ? (options.maxTokens ?? 1300) : undefined),
      ...given("conversation_id", options.conversation),
      ...given("time_zone", options.timeZone),
    };
    const run = (over: Over) => this.api.GET("/v1/context", { params: { query }, ...over, ...parsed(format) });
    return format === "text" ? this.text("GET /v1/context", options, run) : this.call("GET /v1/context", options, run);
  }

  /**
   * Stores nodes and relationships, or a text: what the user said, in the user's words. Sentences that say what to
   * remember ("I never eat fish.") are in the next context; explore finds all of it.
   */
  remember(user: string, text: string, options?: CallOptions): Promise<Schemas["SourceResult"]>;
  remember(user: string, memory: Memory, options?: CallOptions): Promise<Schemas["MemoryResult"]>;
  remember(user: string, what: string | Memory, options: CallOptions = {}): Promise<Schemas["SourceResult"] | Schemas["MemoryResult"]> {
    const idempotency_key = newId();
    if (typeof what !== "string") {
      const body = { idempotency_key, strict: true, ...what, user_id: user };
      return this.call("POST /v1/memory", options, (over) => this.api.POST("/v1/memory", { body, ...over }));
    }
    const body = { idempotency_key, user_id: user, content_type: "text-note" as const, messages: [{ role: "user", text: what }] };
    return this.call("POST /v1/sources", options, (over) => this.api.POST("/v1/sources", { body, ...over }));
  }

  /** Searches the memory of a user, and returns what was found as text for a prompt or as an object. */
  explore(user: string, query: string, options: ExploreOptions & { format: "json" }): Promise<Schemas["ExploreResult"]>;
  explore(user: string, query: string, options?: ExploreOptions & { format?: "text" | undefined }): Promise<string>;
  explore(user: string, query: string, options: ExploreOptions = {}): Promise<string | Schemas["ExploreResult"]> {
    const format = options.format ?? "text";
    const body: Schemas["ExploreRequest"] = {
      user_id: user,
      queries: [{ query }],
      format,
      ...given("max_tokens", options.maxTokens ?? (format === "text" ? 500 : undefined)),
      ...given("limit", options.limit),
      ...given("conversation_id", options.conversation),
    };
    const run = (over: Over) => this.api.POST("/v1/explore", { body, ...over, ...parsed(format) });
    return format === "text" ? this.text("POST /v1/explore", options, run) : this.call("POST /v1/explore", options, run);
  }

  /** Returns a conversation of a user; without an id a new one. Nothing is sent. */
  conversation(user: string, id: string = newId()): Conversation {
    return new Conversation(this, user, id);
  }

  /** Calls one of the tools that Kith serves to agents over MCP, which take names in place of keys. With repeatable, for a call that may run twice, it is retried. */
  async callTool(name: string, input: Record<string, unknown>, options: CallOptions & { repeatable?: boolean } = {}): Promise<ToolAnswer> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } });
    const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
    const run = async ({ fetch }: Over) => {
      const response = await fetch(new Request(`${this.#url}/mcp`, { method: "POST", body, headers }));
      const answer: unknown = await response.json().catch((cause) => (response.ok ? Promise.reject(cause) : undefined));
      return { data: answer, error: answer, response };
    };
    const answer = await this.call<unknown>("POST /mcp", options, run, options.repeatable ?? false);
    return toolAnswerOf(name, answer);
  }

  /** Makes a call, and returns its data or throws a KithError. For the parts of this package. */
  async call<T>(name: string, options: TogetherOptions, run: (over: Over) => Promise<Answer<T>>, repeatable = true): Promise<T> {
    const limits = this.#limits(options);
    try {
      const { data, error, response } = await run({ fetch: (request) => send(this.#sending, request, repeatable, limits) });
      if (!response.ok) throw errorOf(name, response, error);
      return data as T;
    } catch (cause) {
      if (cause instanceof KithError || limits.signal?.aborted) throw cause;
      throw new KithError(name, "the answer is incomplete or not Kith's", { status: 0, cause });
    }
  }

  /** Makes a call whose answer is a text. For the parts of this package. */
  async text(name: string, options: TogetherOptions, run: (over: Over) => Promise<Answer<unknown>>): Promise<string> {
    const read = async (over: Over) => {
      const answer = await run(over);
      if (answer.response.ok && !isText(answer.response)) {
        throw new KithError(name, "the answer is not a text; is this the address of a Kith?", { status: answer.response.status });
      }
      return answer;
    };
    return String((await this.call(name, options, read)) ?? "");
  }

  /** Returns options with which several calls may take as long as one. For the parts of this package. */
  together(options: CallOptions): TogetherOptions {
    return { ...options, deadline: AbortSignal.timeout(options.timeout ?? this.#timeout) };
  }

  #limits(options: TogetherOptions): Limits {
    const { signal, timeout = this.#timeout, retries = this.#retries } = options;
    return { signal, timeout, retries, deadline: options.deadline ?? AbortSignal.timeout(timeout) };
  }
}

/** How a call is sent. */
interface Over {
  fetch: (request: Request) => Promise<Response>;
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}

function addressOf(url: string): string {
  const { protocol, username, password } = URL.canParse(url) ? new URL(url) : { protocol: "", username: "", password: "" };
  if (!/^https?:$/.test(protocol) || username || password) throw new TypeError("kith: url is no http or https address without a password");
  return url.replace(/\/+$/, "");
}

/** Returns a key that a header can have: the platform's own error would show it. */
function keyOf(key: string): string {
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError("kith: no API key: give key to new Kith, or set KITH_KEY, without blanks");
  return key;
}

/** Reports whether a response has a text of Kith: not a page of HTML. */
function isText(response: Response): boolean {
  return /^text\/(markdown|plain)\s*(;|$)/i.test(response.headers.get("Content-Type") ?? "");
}

/** Returns an object with a field if it has a value. */
function given<K extends string, V>(name: K, value: V | undefined): { [name in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [name in K]: V });
}

function parsed(format: "text" | "json"): { parseAs: "json" } {
  return { parseAs: format as "json" }; // the contract has one type for both forms
}
