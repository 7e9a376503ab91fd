import { KithError, retryAfterOf } from "./error.js";

const firstPause = 250; // ms
const maxPause = 10_000; // ms, also when the service asks for a longer one

/** POST requests that change nothing. */
const reads = ["/v1/explore", "/v1/traverse", "/v1/prompt"];

/** How requests are sent. */
export interface Sending {
  key: string;
  fetch: typeof fetch;
}

/** The limits of one call. */
export interface Limits {
  signal: AbortSignal | undefined;
  /** Milliseconds of all attempts. */
  timeout: number;
  /** Ends the attempts after that time. */
  deadline: AbortSignal;
  /** Most further attempts. */
  retries: number;
}

/**
 * Sends a request with the API key, and returns the last response, whatever its status. After a 429, and if it is
 * repeatable after a 503 or without an answer, it is sent again: with growing pauses, or after the service's Retry-After.
 */
export async function send(over: Sending, request: Request, repeatable: boolean, limits: Limits): Promise<Response> {
  const signal = AbortSignal.any([request.signal, limits.deadline, ...(limits.signal ? [limits.signal] : [])]);
  for (let attempt = 0; ; attempt++) {
    const outcome = await once(over, request, signal);
    const pause = outcome instanceof Response ? pauseAfter(outcome, repeatable, attempt) : repeatable ? pauseOf(attempt) : undefined;
    if (pause !== undefined && attempt < limits.retries && (await sleep(pause, signal))) continue;
    if (outcome instanceof Response) return outcome;
    throw failureOf(request, outcome.cause, limits);
  }
}

async function once(over: Sending, request: Request, signal: AbortSignal): Promise<Response | { cause: unknown }> {
  const attempt = new Request(request.clone(), { signal, redirect: "manual" });
  attempt.headers.set("Authorization", `Bearer ${over.key}`);
  try {
    const response = await over.fetch(attempt);
    // The caller may get this one after a pause, when the signal has ended the reading of its body.
    return response.status === 429 || response.status === 503 ? new Response(await response.arrayBuffer(), response) : response;
  } catch (cause) {
    return { cause };
  }
}

/** Returns what a caller gets for a request without an answer: the reason of its own signal, or a KithError. */
function failureOf(request: Request, cause: unknown, limits: Limits): unknown {
  for (const signal of [request.signal, limits.signal]) if (signal?.aborted) return signal.reason;
  const call = `${request.method} ${new URL(request.url).pathname}`;
  const what = limits.deadline.aborted ? `no answer within ${limits.timeout / 1000} s` : `no answer from ${new URL(request.url).origin}`;
  return new KithError(call, what, { status: 0, cause });
}

/** Reports whether a request may be sent twice. */
export function isRepeatable(request: Request): boolean {
  if (request.method === "POST") return reads.includes(new URL(request.url).pathname) || request.headers.has("Idempotency-Key");
  return request.method !== "PATCH";
}

function pauseAfter(response: Response, repeatable: boolean, attempt: number): number | undefined {
  if (response.status !== 429 && !(response.status === 503 && repeatable)) return undefined;
  return Math.min(Math.max(pauseOf(attempt), (retryAfterOf(response) ?? 0) * 1000), maxPause);
}

function pauseOf(attempt: number): number {
  const pause = firstPause * 2 ** attempt;
  return Math.min(pause / 2 + (Math.random() * pause) / 2, maxPause);
}

/** Waits, and reports whether it did: not if the signal ended it. */
function sleep(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const stop = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve(true);
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
