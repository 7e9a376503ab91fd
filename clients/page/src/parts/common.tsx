// What several screens show.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Problem } from "../api";
import { link, route } from "../route";

/** The user whose memory the page shows, from the address. */
export function user(): string {
  return route.value.query.get("user") ?? "";
}

export function ProblemNote({ problem, retry }: { problem: Problem; retry?: () => void }) {
  return (
    <div class="problem" role="alert">
      <p>
        {problem.status > 0 && <strong>{problem.status} </strong>}
        {problem.message}
        {problem.retryAfter > 0 && ` Try again in ${problem.retryAfter} s.`}
      </p>
      {problem.faults.length > 0 && (
        <ul>
          {problem.faults.map((f) => (
            <li>
              <code>{f.location}</code> {f.message}
            </li>
          ))}
        </ul>
      )}
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** A line that says what is going on, also to screen readers. */
export function Status({ children }: { children: ComponentChildren }) {
  return (
    <p class="status" role="status">
      {children}
    </p>
  );
}

export function Copy({ text, children }: { text: string | (() => string | Promise<string>); children: ComponentChildren }) {
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : await text());
      setSaid("Copied");
    } catch (failure) {
      setSaid(failure instanceof Problem ? failure.message : "The browser did not allow it");
    }
    setTimeout(() => setSaid(""), 2000);
  };
  return (
    <button type="button" class="copy" onClick={copy}>
      {children}
      <span role="status">{said && ` · ${said}`}</span>
    </button>
  );
}

export function Field({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <label class="field">
      <span>{label}</span>
      {children}
    </label>
  );
}

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** A time as its distance from now, and in full as its title. */
export function Time({ at }: { at: string | null | undefined }) {
  if (!at) return <span>never</span>;
  const seconds = (Date.parse(at) - Date.now()) / 1000;
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ["second", 1];
  return (
    <time dateTime={at} title={at}>
      {unit === "second" ? "just now" : relative.format(Math.round(seconds / size), unit)}
    </time>
  );
}

// Characters that are not seen, or that turn the direction of others: a text may hide something with them.
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

/** A text as it is stored, apart from the direction of its surroundings, with the characters shown that cannot be seen. */
export function Text({ text }: { text: string }) {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of text.matchAll(unseen)) {
    parts.push(text.slice(end, match.index));
    const code = `U+${match[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
    parts.push(<span class="unseen">{code}</span>);
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return <bdi>{parts}</bdi>;
}

/** Whether this is an app within another program, which has no other screens to lead to. */
export const embedded = signal(false);

/** A link to a node of the user whose memory the page shows, or of another one. The kind may be a label: SystemEntity is system_entity. */
export function NodeLink({ kind, id, of, children }: { kind: string; id: string; of?: string | null; children?: ComponentChildren }) {
  if (embedded.value) return <>{children ?? <Text text={id} />}</>;
  return <a href={link("node", { user: of ?? user(), kind: kind.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase(), key: id })}>{children ?? <Text text={id} />}</a>;
}

const origins: Record<string, string> = { user: "the user", assistant: "an assistant", tool: "a tool", external: "a mail or document of others", import: "an import" };

/** An origin in words. */
export function originWords(origin: string | null | undefined): string {
  return origins[origin ?? ""] ?? "an unknown origin";
}

/** Where something comes from and how far it is believed, in words; "" where nobody has limited that. */
export function believed({ origin, trust }: { origin?: string | null; trust?: number | null }): string {
  return [origin && `from ${originWords(origin)}`, typeof trust === "number" && `trust ${number(trust)}`].filter(Boolean).join(", ");
}

/** Asks again before something is changed. The name, where given, has to be typed. */
export function Confirm({ title, name, act, close, children }: { title: string; name?: string; act: () => Promise<unknown>; close: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      await act();
      close();
    } catch (failure) {
      setProblem(failure instanceof Problem ? failure : new Problem(-1, String(failure)));
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby={heading}>
      <form onSubmit={submit}>
        <h2 id={heading}>{title}</h2>
        {children}
        {name !== undefined && (
          <Field label={`Type ${name} to confirm`}>
            <input value={typed} autocomplete="off" onInput={(e) => setTyped(e.currentTarget.value)} />
          </Field>
        )}
        {problem && <ProblemNote problem={problem} />}
        <p class="buttons">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="danger" disabled={busy || (name !== undefined && typed !== name)}>
            {title}
          </button>
        </p>
      </form>
    </dialog>
  );
}

/** A button that loads the next page of a list. */
export function More({ more, loading }: { more: (() => void) | null; loading: boolean }) {
  if (!more) return null;
  return (
    <p>
      <button type="button" onClick={more} disabled={loading}>
        {loading ? "Loading…" : "Show more"}
      </button>
    </p>
  );
}

interface List {
  rows: unknown[];
  more: (() => void) | null;
  problem: Problem | null;
  loading: boolean;
  reload: () => void;
}

/** Buttons for the states of a list. The first state is the one without a choice. */
export function States({ label, states, state, choose }: { label: string; states: string[]; state: string; choose: (state: string | undefined) => void }) {
  return (
    <div role="group" aria-label={label} class="bar">
      {states.map((s) => (
        <button type="button" aria-pressed={s === state} onClick={() => choose(s === states[0] ? undefined : s)}>
          {s}
        </button>
      ))}
    </div>
  );
}

/** The rows of a list that is loaded page by page, with its problem, and none where it has no rows. */
export function Pages({ list, none, children }: { list: List; none: string; children: ComponentChildren }) {
  return (
    <>
      {list.problem && <ProblemNote problem={list.problem} retry={list.reload} />}
      {!list.loading && list.rows.length === 0 && !list.problem && <p>{none}</p>}
      {children}
      {list.loading && <Status>Loading…</Status>}
      <More more={list.more} loading={list.loading} />
    </>
  );
}

/** Words of the API as words for people: core_beliefs is "core beliefs". */
export function words(name: string): string {
  return name.replaceAll("_", " ").toLowerCase();
}

export function number(value: number | null | undefined): string {
  return value === null || value === undefined ? "" : value.toLocaleString("en", { maximumFractionDigits: 3 });
}
