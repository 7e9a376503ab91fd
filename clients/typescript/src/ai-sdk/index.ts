export { kithMiddleware, type MiddlewareOptions } from "./middleware.js";
export type { Forgotten, Looked, Remembered } from "./schema.js";
export { type KithTools, kithTools, type ToolOptions } from "./tools.js";
