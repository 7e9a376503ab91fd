/** Returns a new id. It also works on pages without HTTPS, where crypto.randomUUID does not exist. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
