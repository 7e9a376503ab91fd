// Chats: their trees of turns, what a model was sent for a turn, and an answer as it comes.
import { useEffect, useState } from "preact/hooks";
import { get, Problem, send, type Schemas } from "../api";
import { Copy, More, number, ProblemNote, Status, Text, Time, user } from "../parts/common";
import { useLoad, usePages } from "../parts/load";
import { change, link, route } from "../route";

export function Chats() {
  const tree = route.value.query.get("tree") ?? "";
  const list = usePages((cursor, signal) => get<Schemas["TreePage"]>("/v1/trees", { user_id: user(), cursor, limit: 50 }, signal), (page) => page.trees, []);
  return (
    <>
      <h1>Chats</h1>
      <p class="lead">Branching chats of this user with a language model.</p>
      {list.problem && <ProblemNote problem={list.problem} retry={list.reload} />}
      {!list.loading && list.rows.length === 0 && !list.problem && <Status>There are no chats yet.</Status>}
      <ul class="plain">
        {list.rows.map((t) => (
          <li key={t.id}>
            <a href={link("chats", { user: user(), tree: t.id })} aria-current={t.id === tree ? "true" : undefined}>
              <Text text={t.display_name || t.id} />
            </a>{" "}
            <span class="hint">
              {number(t.turn_count)} turns, <Time at={new Date(t.updated_at).toISOString()} />
              {t.pinned && ", pinned"}
            </span>
          </li>
        ))}
      </ul>
      {list.loading && <Status>Loading…</Status>}
      <More more={list.more} loading={list.loading} />
      {tree && <Tree key={tree} id={tree} />}
    </>
  );
}

type Line = Schemas["ChatTurnLine"];

function Tree({ id }: { id: string }) {
  const chosen = route.value.query.get("turn") ?? "";
  const list = usePages(
    async (cursor, signal) => {
      const page = await get<Schemas["TurnPage"]>(`/v1/trees/${encodeURIComponent(id)}/turns`, { user_id: user(), from: cursor, limit: 500 }, signal);
      return { turns: page.turns, next: page.next === null || page.next === undefined ? null : String(page.next) };
    },
    (page) => page.turns,
    [id],
  );
  const children = new Map<string, Line[]>();
  for (const turn of list.rows) {
    const parent = turn.parent_id ?? "";
    children.set(parent, [...(children.get(parent) ?? []), turn]);
  }
  return (
    <div class="columns">
      <section>
        <h2>Turns</h2>
        {list.problem && <ProblemNote problem={list.problem} retry={list.reload} />}
        <Branch of="" children={children} chosen={chosen} />
        {list.loading && <Status>Loading…</Status>}
        <More more={list.more} loading={list.loading} />
      </section>
      {chosen && <Turn key={chosen} id={chosen} />}
    </div>
  );
}

/** The turns below one. A turn with one follower stands above it, and only branches are moved in: chats are long. */
function Branch({ of, children, chosen }: { of: string; children: Map<string, Line[]>; chosen: string }) {
  const rows: Line[] = [];
  let next = children.get(of) ?? [];
  while (next.length === 1) {
    rows.push(next[0]!);
    next = children.get(next[0]!.id) ?? [];
  }
  return (
    <ul class="tree">
      {rows.map((t) => (
        <li key={t.id}>
          <TurnLink turn={t} chosen={chosen} />
        </li>
      ))}
      {next.map((t) => (
        <li key={t.id}>
          <TurnLink turn={t} chosen={chosen} />
          {(children.get(t.id) ?? []).length > 0 && <Branch of={t.id} children={children} chosen={chosen} />}
        </li>
      ))}
    </ul>
  );
}

function TurnLink({ turn, chosen }: { turn: Line; chosen: string }) {
  return (
    <button type="button" class="link" aria-current={turn.id === chosen ? "true" : undefined} onClick={() => change({ turn: turn.id })}>
      <Text text={turn.label || turn.id} /> {turn.status !== "complete" && <span class="hint">({turn.status})</span>}
    </button>
  );
}

function Turn({ id }: { id: string }) {
  const path = `/v1/turns/${encodeURIComponent(id)}`;
  const turn = useLoad((signal) => get<Schemas["ChatTurn"]>(path, { user_id: user() }, signal), [id]);
  const prompt = useLoad((signal) => get<Schemas["TurnPrompt"]>(`${path}/prompt`, { user_id: user() }, signal), [id]);
  const running = turn.data?.status === "pending" || turn.data?.status === "generating";
  return (
    <section>
      <h2>Turn</h2>
      {turn.problem && <ProblemNote problem={turn.problem} retry={turn.reload} />}
      {turn.data && (
        <>
          <p class="hint">
            {turn.data.status}, attempt {number(turn.data.attempt)}, <Time at={new Date(turn.data.created_at).toISOString()} />
          </p>
          <blockquote>
            <Text text={turn.data.user_prompt} />
            <footer>user</footer>
          </blockquote>
          {running ? (
            <Answer path={path} ended={turn.reload} />
          ) : (
            turn.data.assistant_text && (
              <blockquote>
                <Text text={turn.data.assistant_text} />
                <footer>assistant</footer>
              </blockquote>
            )
          )}
          {turn.data.error && <ProblemNote problem={new Problem(-1, turn.data.error)} />}
        </>
      )}
      <h3>What the model is sent</h3>
      {prompt.problem && <ProblemNote problem={prompt.problem} retry={prompt.reload} />}
      {prompt.data && (
        <>
          <Copy text={JSON.stringify(prompt.data, null, 2)}>Copy as JSON</Copy>
          {prompt.data.truncated && <p class="hint">{number(prompt.data.left_out)} messages were left out to keep the budget.</p>}
          {prompt.data.system_prompt && (
            <blockquote>
              <Text text={prompt.data.system_prompt} />
              <footer>system</footer>
            </blockquote>
          )}
          {prompt.data.messages.map((m) => (
            <blockquote>
              <Text text={m.text} />
              <footer>{m.role}</footer>
            </blockquote>
          ))}
        </>
      )}
    </section>
  );
}

/** An answer while it comes: server-sent events, read with fetch, as EventSource sends no key. */
function Answer({ path, ended }: { path: string; ended: () => void }) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    const read = async () => {
      const response = await send("GET", `${path}/events`, { query: { user_id: user() }, signal: abort.signal });
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return ended();
        const events = (rest + value).split("\n\n");
        rest = events.pop()!;
        for (const event of events) {
          const name = /^event: ?(.*)$/m.exec(event)?.[1];
          const data = JSON.parse(/^data: ?(.*)$/m.exec(event)?.[1] || "null") as { text?: string } | null;
          if (name === "text") setText(data?.text ?? "");
          if (name === "delta") setText((t) => t + (data?.text ?? ""));
        }
      }
    };
    read().catch((failure) => abort.signal.aborted || setProblem(failure instanceof Problem ? failure : new Problem(0, "The stream of events broke off.")));
    return () => abort.abort();
  }, [path]);
  return (
    <>
      <blockquote aria-live="polite">
        <Text text={text} />
        <footer>assistant, answering</footer>
      </blockquote>
      {problem && <ProblemNote problem={problem} retry={ended} />}
    </>
  );
}
