import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** A request as a server got it. */
export interface Got {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

export type Step = (response: ServerResponse, got: Got) => void;

/** Starts a server that answers by a script, and repeats its last step. Returns its address and what it got. */
export async function scripted(t: TestContext, ...script: Step[]): Promise<{ url: string; got: Got[] }> {
  const got: Got[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { method = "", url: path = "", headers } = request;
    const one = { method, path, headers, body };
    got.push(one);
    script[Math.min(got.length, script.length) - 1]?.(response, one);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}

export function says(status: number, body: string, headers: Record<string, string> = {}): Step {
  return (response) => response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(body);
}

export const breaks: Step = (response) => response.destroy();

/** Returns a user that no other test has. */
export function freshUser(): string {
  return `user-${crypto.randomUUID()}`;
}
