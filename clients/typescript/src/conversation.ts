import type { components } from "./contract.js";
import { KithError } from "./error.js";
import { newId } from "./id.js";
import type { CallOptions, Kith } from "./kith.js";

type Schemas = components["schemas"];

/** One utterance. Without an entity_key it gets one, so that appending it twice stores it once. */
export type Said = Schemas["MessageWrite"];

export interface OpenOptions extends CallOptions {
  /** Most o200k tokens of the text, a quarter of them for messages; default 1,300. */
  maxTokens?: number | undefined;
  /** At most so many of the last messages of a conversation that goes on; default 20. */
  messages?: number | undefined;
}

/** How a conversation ended. Without a summary a language model makes one, if Kith has one. */
export type Ending = Omit<Schemas["ConversationEnd"], "user_id">;

/** A conversation of a user. */
export class Conversation {
  readonly #kith: Kith;

  constructor(
    kith: Kith,
    readonly user: string,
    readonly id: string,
  ) {
    this.#kith = kith;
  }

  /** Opens the conversation, and returns the context of its user with the last messages, as text for a prompt. */
  open(options: OpenOptions = {}): Promise<string> {
    const { maxTokens: max_tokens = 1300 } = options;
    const body: Schemas["OpenConversationRequest"] = { user_id: this.user, conversation_id: this.id, format: "text", max_tokens };
    if (options.messages !== undefined) body.messages = options.messages;
    return this.#kith.text("POST /v1/conversations", options, (over) => this.#kith.api.POST("/v1/conversations", { body, parseAs: "text", ...over }));
  }

  /** Stores messages, in their order; they are on disk when it returns. Opens the conversation if it does not exist. */
  async append(messages: Said[], options: CallOptions = {}): Promise<Schemas["SourceResult"]> {
    const limits = this.#kith.together(options);
    const keyed = messages.map((message) => ({ ...message, entity_key: message.entity_key || newId() }));
    try {
      return await this.#append(keyed, limits);
    } catch (error) {
      if (!(error instanceof KithError && error.status === 404)) throw error;
    }
    await this.open({ ...limits, maxTokens: 100, messages: 0 });
    return this.#append(keyed, limits);
  }

  #append(messages: Said[], options: CallOptions): Promise<Schemas["SourceResult"]> {
    const request = { params: { path: { id: this.id } }, body: { user_id: this.user, messages } };
    return this.#kith.call("POST /v1/conversations/{id}/messages", options, (over) => this.#kith.api.POST("/v1/conversations/{id}/messages", { ...request, ...over }));
  }

  /** Ends the conversation, with a summary and the keys of what it was about. */
  end(ending: Ending = {}, options: CallOptions = {}): Promise<Schemas["SourceResult"]> {
    const request = { params: { path: { id: this.id } }, body: { ...ending, user_id: this.user } };
    return this.#kith.call("POST /v1/conversations/{id}/end", options, (over) => this.#kith.api.POST("/v1/conversations/{id}/end", { ...request, ...over }));
  }
}
