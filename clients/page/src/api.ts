// Calls of Kith's API, with the key of this page.
import { signal } from "@preact/signals";
import type { components } from "./contract";

export type Schemas = components["schemas"];
export type Me = Schemas["Me"];

/** The signed-in key, or "". It is in memory only, unless keepKey stored it for the tab. */
export const key = signal("");
/** What the key may do; null until it is known. */
export const me = signal<Me | null>(null);

const stored = "kith.key";

/** Keys with which the page may sign in: that of a link, and that of the tab. "": there is none. */
export interface Keys {
  given: string;
  kept: string;
}

/** The key of the fragment (#key=…), which is removed from the address, and that of this tab. */
export function findKeys(): Keys {
  const given = new URLSearchParams(location.hash.slice(1)).get("key") ?? "";
  if (given) history.replaceState(null, "", location.pathname + location.search);
  return { given, kept: sessionStorage.getItem(stored) ?? "" };
}

/** Stores the key until the tab is closed. */
export function keepKey(secret: string) {
  sessionStorage.setItem(stored, secret);
}

/** Forgets the key. */
export function signOut() {
  sessionStorage.removeItem(stored);
  key.value = "";
  me.value = null;
}

/** Signs in with a key: it throws a Problem where the key is not valid. */
export async function signIn(secret: string) {
  key.value = secret;
  try {
    me.value = await get<Me>("/v1/me");
  } catch (problem) {
    key.value = "";
    throw problem;
  }
}

/** Reports whether the key has a scope. */
export function may(scope: "read" | "write" | "admin"): boolean {
  return me.value?.scopes.includes(scope) ?? false;
}

/** An answer that is no success. A status of 0 means that Kith was not reached. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly faults: Schemas["Fault"][] = [],
    readonly retryAfter = 0, // seconds
  ) {
    super(message);
  }
}

export type Query = Record<string, string | number | boolean | undefined | null>;

/** The path with the parameters that have a value. */
export function address(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text ? `${path}?${text}` : path;
}

export interface Call {
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
}

/** Sends a request with the key. It throws a Problem for each answer that is no success, and AbortError where it was aborted. */
export async function send(method: string, path: string, call: Call = {}): Promise<Response> {
  const headers: Record<string, string> = { Authorization: `Bearer ${key.value}` };
  if (call.body !== undefined) headers["Content-Type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(address(path, call.query), {
      method,
      headers,
      body: call.body === undefined ? undefined : JSON.stringify(call.body),
      signal: call.signal,
      credentials: "omit",
      cache: "no-store",
    });
  } catch (failure) {
    if (call.signal?.aborted) throw failure;
    throw new Problem(0, "Kith cannot be reached. The page tries again when you do.");
  }
  if (response.ok) return response;
  const body = (await response.json().catch(() => null)) as Schemas["Problem"] | null;
  if (response.status === 401) signOut();
  throw new Problem(
    response.status,
    body?.detail || body?.title || `The answer has the status ${response.status}.`,
    body?.errors ?? [],
    Number(response.headers.get("Retry-After")) || 0,
  );
}

async function json<T>(response: Response): Promise<T> {
  return (response.status === 204 ? undefined : await response.json()) as T;
}

export async function get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return json<T>(await send("GET", path, { query, signal }));
}

export async function post<T>(path: string, body: unknown, query?: Query, signal?: AbortSignal): Promise<T> {
  return json<T>(await send("POST", path, { query, body, signal }));
}

export async function patch<T>(path: string, body: unknown, query?: Query): Promise<T> {
  return json<T>(await send("PATCH", path, { query, body }));
}

export async function put<T>(path: string, body: unknown, query?: Query): Promise<T> {
  return json<T>(await send("PUT", path, { query, body }));
}

export async function remove<T>(path: string, query?: Query): Promise<T> {
  return json<T>(await send("DELETE", path, { query }));
}

/** The command that sends the same request from a shell, with the key in the variable KITH_KEY. */
export function curl(method: string, path: string, query?: Query, body?: unknown): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const parts = ["curl -sS"];
  if (method !== "GET") parts.push(`-X ${method}`);
  parts.push(quote(location.origin + address(path, query)), `-H "Authorization: Bearer $KITH_KEY"`);
  if (body !== undefined) parts.push(`-H 'Content-Type: application/json'`, `-d ${quote(JSON.stringify(body))}`);
  return parts.join(" ");
}
