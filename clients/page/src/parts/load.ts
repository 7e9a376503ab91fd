// Answers of the API as state of a component.
import { useEffect, useRef, useState } from "preact/hooks";
import { Problem } from "../api";

export interface Loaded<T> {
  data: T | null; // the last answer, also while the next is loading
  problem: Problem | null;
  loading: boolean;
  reload: () => void;
}

/** Loads when one of the values changes, after wait milliseconds, and aborts the request before. */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, values: unknown[], wait = 0): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, "reload">>({ data: null, problem: null, loading: true });
  const [turn, setTurn] = useState(0);
  const first = useRef(true);
  useEffect(() => {
    const abort = new AbortController();
    setState((s) => ({ ...s, loading: true }));
    const timer = setTimeout(
      () => {
        load(abort.signal).then(
          (data) => abort.signal.aborted || setState({ data, problem: null, loading: false }),
          (failure: unknown) => {
            if (abort.signal.aborted) return;
            const problem = failure instanceof Problem ? failure : new Problem(-1, String(failure));
            setState({ data: null, problem, loading: false });
          },
        );
      },
      first.current ? 0 : wait,
    );
    first.current = false;
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [...values, turn]);
  return { ...state, reload: () => setTurn((t) => t + 1) };
}

interface Page {
  next?: string | null;
}

/** Loads a list page by page. */
export function usePages<P extends Page, T>(load: (cursor: string | undefined, signal: AbortSignal) => Promise<P>, rows: (page: P) => T[], values: unknown[]) {
  const [more, setMore] = useState<{ rows: T[]; next?: string | null; problem: Problem | null; loading: boolean } | null>(null);
  const first = useLoad((signal) => load(undefined, signal).then((page) => (setMore(null), page)), values);
  const generation = useRef<P | null>(null);
  generation.current = first.data;
  const all = first.data ? [...rows(first.data), ...(more?.rows ?? [])] : [];
  const next = more ? more.next : first.data?.next;
  const nextPage = () => {
    if (!next || more?.loading) return;
    const of = first.data;
    const before = more?.rows ?? [];
    setMore({ rows: before, next, problem: null, loading: true });
    load(next, new AbortController().signal).then(
      (page) => generation.current === of && setMore({ rows: [...before, ...rows(page)], next: page.next, problem: null, loading: false }),
      (problem: Problem) => generation.current === of && setMore({ rows: before, next, problem, loading: false }),
    );
  };
  return { rows: all, more: next ? nextPage : null, problem: first.problem ?? more?.problem ?? null, loading: first.loading || (more?.loading ?? false), reload: first.reload };
}
