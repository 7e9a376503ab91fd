// What needs a decision: writes that wait, nodes that may be one, statements to confirm, sources that fade, deleted nodes that can come back.
import { useState } from "preact/hooks";
import { get, may, patch, post, Problem, type Schemas } from "../api";
import { Confirm, NodeLink, number, Pages, ProblemNote, States, Text, Time, user, words } from "../parts/common";
import { usePages } from "../parts/load";
import { change, route } from "../route";
import { Duplicates } from "./duplicates";
import { Reviews } from "./reviews";
import { undoWithdrawal } from "./withdraw";

export function Care() {
  return (
    <>
      <h1>Care</h1>
      <p class="lead">What waits for a decision, what the memory is not sure of, what fades, and what can still come back.</p>
      <Reviews />
      <Duplicates />
      <Said />
      <Unsure />
      <Faded />
      <Deleted />
    </>
  );
}

const states = ["candidate", "active", "confirmed"];

/** What the user said to remember: each can be confirmed or refused. */
function Said() {
  const state = route.value.query.get("state") ?? "candidate";
  const path = `/v1/users/${encodeURIComponent(user())}/statements`;
  const list = usePages(
    (cursor, signal) => get<Schemas["StatementPage"]>(path, { states: state, cursor, limit: 50 }, signal),
    (page) => page.statements,
    [state],
  );
  const [problem, setProblem] = useState<Problem | null>(null);
  const decide = (key: string, decision: "confirmed" | "refused") =>
    patch(path, { statements: [{ key, state: decision }] }).then(
      () => {
        setProblem(null);
        list.reload();
      },
      (failure: Problem) => setProblem(failure),
    );
  return (
    <section class="said">
      <h2>Said by the user</h2>
      <States label="State" states={states} state={state} choose={(state) => change({ state })} />
      {problem && <ProblemNote problem={problem} />}
      <Pages list={list} none="None.">
        {list.rows.map((s) => (
          <article class="hit" key={s.key}>
            <blockquote>
              <Text text={s.text} />
              <footer>
                {s.state} {s.kind}, <Time at={s.at} />, in <NodeLink kind="source" id={s.source} />, confidence {number(s.confidence)}
              </footer>
            </blockquote>
            {may("write") && (
              <p class="buttons">
                {s.state !== "confirmed" && (
                  <button type="button" onClick={() => decide(s.key, "confirmed")}>
                    Confirm
                  </button>
                )}
                <button type="button" onClick={() => decide(s.key, "refused")}>
                  Refuse
                </button>
              </p>
            )}
          </article>
        ))}
      </Pages>
    </section>
  );
}

/** Nodes by state: candidates are confirmed or archived, archived ones come back. */
function Unsure() {
  const kind = route.value.query.get("of") ?? "concept";
  const state = route.value.query.get("nodes") ?? "candidate";
  const list = usePages(
    (cursor, signal) => get<Schemas["NodePage"]>(`/v1/nodes/${kind}`, { user_id: user(), state, cursor, limit: 50 }, signal),
    (page) => page.nodes,
    [kind, state],
  );
  const [problem, setProblem] = useState<Problem | null>(null);
  const put = (node: Schemas["NodeView"], to: string) =>
    patch(`/v1/nodes/${kind}/${encodeURIComponent(node.entity_key)}`, { state: to, if_version: node.version }, { user_id: user() }).then(
      () => {
        setProblem(null);
        list.reload();
      },
      (failure: Problem) => setProblem(failure),
    );
  return (
    <section>
      <h2>Nodes by state</h2>
      <div class="bar">
        <KindField kinds={["person", "concept", "entity"]} kind={kind} choose={(k) => change({ of: k })} />
        <States label="State of the nodes" states={["candidate", "archived"]} state={state} choose={(nodes) => change({ nodes })} />
      </div>
      {problem && <ProblemNote problem={problem} />}
      <Pages list={list} none="None.">
        {list.rows.map((n) => (
          <article class="hit" key={n.entity_key}>
            <p>
              <NodeLink kind={kind} id={n.entity_key}>
                <Text text={n.name || n.entity_key} />
              </NodeLink>{" "}
              <Text text={n.description} />
            </p>
            {may("write") && (
              <p class="buttons">
                <button type="button" onClick={() => put(n, "active")}>
                  {state === "candidate" ? "Confirm" : "Take back"}
                </button>
                {state === "candidate" && (
                  <button type="button" onClick={() => put(n, "archived")}>
                    Archive
                  </button>
                )}
              </p>
            )}
          </article>
        ))}
      </Pages>
    </section>
  );
}

function KindField({ kinds, kind, choose }: { kinds: string[]; kind: string; choose: (kind: string) => void }) {
  return (
    <label class="field short">
      <span>Kind</span>
      <select onChange={(e) => choose(e.currentTarget.value)}>
        {kinds.map((k) => (
          <option value={k} selected={k === kind}>
            {k}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Sources that could be archived. */
function Faded() {
  const list = usePages(
    (cursor, signal) => get<Schemas["ConsolidationPage"]>("/v1/consolidation", { user_id: user(), cursor, limit: 50 }, signal),
    (page) => page.candidates,
    [],
  );
  const [chosen, setChosen] = useState<string[] | null>(null);
  return (
    <section>
      <h2>Could be archived</h2>
      <Pages list={list} none="Nothing: no source has faded, and none say the same.">
        {list.rows.map((c) => {
          const keys = c.source ? [c.source.entity_key] : (c.entity_keys ?? []);
          return (
            <article class="hit" key={keys.join(" ")}>
              <p>
                {words(c.reason)}: {keys.map((k, i) => (
                  <>
                    {i > 0 && ", "}
                    <NodeLink kind="source" id={k} />
                  </>
                ))}
                {c.source && (
                  <>
                    {" "}
                    <Time at={c.source.started_at} />
                  </>
                )}
              </p>
              {c.source?.summary && (
                <p>
                  <Text text={c.source.summary} />
                </p>
              )}
              {may("write") && (
                <button type="button" onClick={() => setChosen(keys)}>
                  Archive
                </button>
              )}
            </article>
          );
        })}
      </Pages>
      {chosen && (
        <Confirm
          title="Archive"
          act={() => post("/v1/consolidation", { user_id: user(), entity_keys: chosen }).then(list.reload)}
          close={() => setChosen(null)}
        >
          <p>{number(chosen.length)} sources are archived: contexts and search leave them out. Their links stay.</p>
        </Confirm>
      )}
    </section>
  );
}

const kinds = ["person", "concept", "entity", "source", "project", "task", "plan", "goal", "document"];

/** Deleted nodes that can be restored. */
function Deleted() {
  const kind = route.value.query.get("kind") ?? "concept";
  const list = usePages(
    (cursor, signal) => get<Schemas["NodePage"]>(`/v1/nodes/${kind}`, { user_id: user(), deleted: true, cursor, limit: 50 }, signal),
    (page) => page.nodes,
    [kind],
  );
  const [problem, setProblem] = useState<Problem | null>(null);
  const undo = (n: Schemas["NodeView"]) =>
    (n.withdrawn_at ? undoWithdrawal(n) : post(`/v1/nodes/${kind}/${encodeURIComponent(n.entity_key)}/restore`, undefined, { user_id: user() })).then(
      list.reload,
      (failure: Problem) => setProblem(failure),
    );
  return (
    <section>
      <h2>Deleted</h2>
      <KindField kinds={kinds} kind={kind} choose={(k) => change({ kind: k })} />
      {problem && <ProblemNote problem={problem} />}
      <Pages list={list} none="None that can be restored.">
        {list.rows.map((n) => (
          <article class="hit" key={n.entity_key}>
            <p>
              <strong>
                <Text text={n.name || n.entity_key} />
              </strong>{" "}
              {n.withdrawn_at ? "withdrawn" : "deleted"} <Time at={n.deleted_at} />, can be restored until <Time at={n.restorable_until} />{" "}
              {may("write") && (
                <button type="button" onClick={() => undo(n)}>
                  Undo
                </button>
              )}
            </p>
          </article>
        ))}
      </Pages>
    </section>
  );
}
