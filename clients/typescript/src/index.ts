export type { components, operations, paths } from "./contract.js";
export { Conversation, type Ending, type OpenOptions, type Said } from "./conversation.js";
export { type Fault, KithError, type Problem } from "./error.js";
export { type Api, type CallOptions, type ContextOptions, type ExploreOptions, Kith, type KithOptions, type Memory } from "./kith.js";
export type { ToolAnswer } from "./tool.js";
