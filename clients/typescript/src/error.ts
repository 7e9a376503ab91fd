import type { components } from "./contract.js";

export type Problem = components["schemas"]["Problem"];
export type Fault = components["schemas"]["Fault"];

const shownFaults = 3;

/** What an error knows besides its message. */
export interface Refusal {
  status: number;
  problem?: Problem | undefined;
  retryAfter?: number | undefined;
  requestId?: string | undefined;
  cause?: unknown;
}

/** A call that failed. The message has status, detail and the first faults, and never the API key or a value of the call. */
export class KithError extends Error {
  /** HTTP status; 0: there was no answer. */
  readonly status: number;
  /** The answer (RFC 9457); undefined if it is not Kith's. */
  readonly problem: Problem | undefined;
  /** What is wrong with the request, each with its place. */
  readonly faults: Fault[];
  /** Seconds after which Kith asks to try again. */
  readonly retryAfter: number | undefined;
  /** As in the service log. */
  readonly requestId: string | undefined;

  constructor(call: string, what: string, refusal: Refusal) {
    super(`kith: ${call}: ${what}`, { cause: refusal.cause });
    this.name = "KithError";
    this.status = refusal.status;
    this.problem = refusal.problem;
    this.faults = refusal.problem?.errors ?? [];
    this.retryAfter = refusal.retryAfter;
    this.requestId = refusal.requestId;
  }

  /** Reports whether Kith is away or busy, so that the same call may succeed later. */
  get unavailable(): boolean {
    return [0, 429, 502, 503, 504].includes(this.status);
  }
}

/** Returns the error of an unsuccessful response, with its body as decoded. */
export function errorOf(call: string, response: Response, body: unknown): KithError {
  const problem = isProblem(body) ? body : undefined;
  const redirected = response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400);
  const what = redirected ? "the service redirects: configure the address that it redirects to" : described(response, problem);
  return new KithError(call, what, {
    status: response.status,
    problem,
    retryAfter: retryAfterOf(response),
    requestId: response.headers.get("X-Request-Id") ?? undefined,
  });
}

function isProblem(body: unknown): body is Problem {
  return typeof body === "object" && body !== null && "detail" in body && typeof body.detail === "string";
}

function described(response: Response, problem: Problem | undefined): string {
  const faults = problem?.errors ?? [];
  const parts = [`${response.status} ${problem?.detail || response.statusText.toLowerCase()}`.trim()];
  for (const fault of faults.slice(0, shownFaults)) parts.push(`${fault.location} ${fault.message}`);
  if (faults.length > shownFaults) parts.push(`and ${faults.length - shownFaults} more`);
  return parts.join("; ");
}

/** Returns the seconds of Retry-After. */
export function retryAfterOf(response: Response): number | undefined {
  const text = response.headers.get("Retry-After");
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
