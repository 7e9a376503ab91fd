// The address of the page: /ui/{screen}?user=…&more.
import { signal } from "@preact/signals";
import { address, type Query } from "./api";

export interface Route {
  screen: string; // "" is the start
  query: URLSearchParams;
}

function read(): Route {
  return { screen: location.pathname.replace(/^\/ui\/?/, "").replace(/\/$/, ""), query: new URLSearchParams(location.search) };
}

export const route = signal(read());

addEventListener("popstate", () => (route.value = read()));

/** The address of a screen. */
export function link(screen: string, query: Query = {}): string {
  return address(`/ui/${screen}`, query);
}

/** Shows another address, as a link would. */
export function go(to: string) {
  history.pushState(null, "", to);
  route.value = read();
  scrollTo(0, 0);
  document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
}

/** Changes parameters of the address without a step in the history. Empty values are removed. */
export function change(query: Query) {
  const parameters = new URLSearchParams(route.value.query);
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === "") parameters.delete(name);
    else parameters.set(name, String(value));
  }
  const text = parameters.toString();
  history.replaceState(null, "", location.pathname + (text ? `?${text}` : ""));
  route.value = read();
}

// Links of the page are followed without loading it again.
addEventListener("click", (event) => {
  const anchor = (event.target as Element | null)?.closest?.("a");
  if (!anchor || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const to = new URL(anchor.href, location.href);
  if (to.origin !== location.origin || !to.pathname.startsWith("/ui/") || anchor.target || anchor.hasAttribute("download") || to.hash) return;
  event.preventDefault();
  go(to.pathname + to.search);
});
