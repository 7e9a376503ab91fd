// A node: its fields, relationships, notes and sources, whether the context has it, and how to change it.
import { useState } from "preact/hooks";
import { get, may, patch, post, Problem, remove, type Schemas } from "../api";
import { believed, Confirm, Copy, Field, NodeLink, number, Pages, ProblemNote, Status, Text, Time, user, words } from "../parts/common";
import { useLoad, usePages } from "../parts/load";
import { change, link, route } from "../route";
import { AsOf, asOf, History } from "./history";
import { undoWithdrawal, Withdraw, Withdrawn } from "./withdraw";

type View = Schemas["NodeView"];

const memoryKinds = ["person", "concept", "entity", "source"];

export function Node() {
  const query = route.value.query;
  const kind = query.get("kind") ?? "";
  const id = query.get("key") ?? "";
  const path = `/v1/nodes/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`;
  const of = user() || undefined;
  const [deleted, setDeleted] = useState<Schemas["Deletion"] | null>(null);
  const [withdrawn, setWithdrawn] = useState<Schemas["Withdrawal"] | null>(null);
  const at = asOf();
  const node = useLoad((signal) => get<View>(path, { user_id: of, as_of: at }, signal), [path, of, at]);

  if (deleted) {
    return (
      <Forgotten
        path={path}
        deletion={deleted}
        restored={() => {
          setDeleted(null);
          node.reload();
        }}
      />
    );
  }
  if (withdrawn && node.data) {
    return (
      <Withdrawn
        source={node.data}
        withdrawal={withdrawn}
        restored={() => {
          setWithdrawn(null);
          node.reload();
        }}
      />
    );
  }
  if (node.problem) {
    return (
      <>
        <h1>Node</h1>
        <div class="bar">
          <AsOf />
        </div>
        <ProblemNote problem={node.problem} retry={node.reload} />
      </>
    );
  }
  if (!node.data) return <Status>Loading…</Status>;
  const n = node.data;
  return (
    <>
      <h1>
        <Text text={n.name || n.title || n.entity_key} />
      </h1>
      <p class="lead">
        {n.kind} · <Text text={n.entity_key} /> · {n.state} · version {n.version}
        {believed(n) && ` · ${believed(n)}`}
        {n.author && (
          <>
            {" "}
            · by <Text text={n.author} />
          </>
        )}
      </p>
      {n.withdrawn_at && <HalfWithdrawn node={n} changed={node.reload} />}
      {(n.description || n.summary || n.text || n.content) && (
        <p class="prose">
          <Text text={(n.description || n.summary || n.text || n.content)!} />
        </p>
      )}
      <div class="bar">
        {!at && <Change node={n} path={path} changed={node.reload} />}
        {!at && <Forget node={n} path={path} forgotten={setDeleted} />}
        {!at && <Merge node={n} path={path} changed={node.reload} />}
        {!at && n.kind === "source" && <Withdraw source={n} withdrawn={setWithdrawn} />}
        <a href={link("graph", { user: of, kind: n.kind, key: n.entity_key })}>Show its graph</a>
        <Copy text={n.entity_key}>Copy the key</Copy>
        <Copy text={JSON.stringify(n, null, 2)}>Copy as JSON</Copy>
        <AsOf />
      </div>
      {of && !at && memoryKinds.includes(n.kind) && <InContext id={n.entity_key} version={n.version} />}
      <Salience node={n} />
      <Relationships path={path} version={n.version} at={at} />
      <Notes node={n} />
      {!at && <History path={path} version={n.version} changed={node.reload} />}
      <Provenance node={n} path={path} />
      <Fields node={n} />
    </>
  );
}

const told = ["name", "title", "kind", "entity_key", "state", "version", "description", "summary", "text", "content", "notes", "relationships", "salience", "decay_rate", "archives_at", "access_count", "last_accessed_at", "last_write", "recalls", "created_at", "updated_at", "origin", "trust", "author", "rests_on", "withdrawn_at"];

function Fields({ node }: { node: View }) {
  const fields = Object.entries(node).filter(([name, value]) => !told.includes(name) && value !== null && value !== "" && !(typeof value === "object" && Object.keys(value as object).length === 0));
  return (
    <section>
      <h2>Fields</h2>
      <dl class="detail">
        {fields.map(([name, value]) => (
          <>
            <dt>{words(name)}</dt>
            <dd>{/_at$|^ts$|^at$/.test(name) && typeof value === "string" ? <Time at={value} /> : <Text text={typeof value === "string" ? value : JSON.stringify(value)} />}</dd>
          </>
        ))}
      </dl>
    </section>
  );
}

/** Whether the user's context shows the node now: each rule with what it found. */
function InContext({ id, version }: { id: string; version: number }) {
  const why = useLoad((signal) => get<Schemas["Why"]>("/v1/context/why", { user_id: user(), key: id }, signal), [id, version]);
  return (
    <section>
      <h2>In the context</h2>
      {why.problem && <ProblemNote problem={why.problem} retry={why.reload} />}
      {why.loading && !why.data && <Status>Loading…</Status>}
      {why.data && (
        <>
          <p>
            {why.data.shown ? "The context of this user shows it." : "The context of this user does not show it."} <a href={link("context", { user: user() })}>See the context</a>
          </p>
          {why.data.sections.map((s) => (
            <details open={s.shown}>
              <summary>
                {words(s.section)}: {s.shown ? "shown" : "not shown"}
              </summary>
              <ul class="conditions">
                {s.conditions.map((c) => (
                  <li class={c.holds ? "holds" : "fails"}>
                    {c.rule}: <Text text={c.value} /> {c.holds ? "(yes)" : "(no)"}
                    {c.change && `; ${c.change}`}
                  </li>
                ))}
              </ul>
            </details>
          ))}
        </>
      )}
    </section>
  );
}

const year = 365; // days

/** How the salience falls from now, for a year, unless the node is used. */
function Salience({ node }: { node: View }) {
  const rate = node.decay_rate ?? 0;
  const width = 600;
  const height = 90;
  const points = Array.from({ length: 61 }, (_, i) => {
    const days = (i / 60) * year;
    return `${((days / year) * width).toFixed(1)},${(height * (1 - node.salience * Math.exp(-rate * days))).toFixed(1)}`;
  });
  const half = rate > 0 ? `Half of it is left in ${number(Math.round(Math.LN2 / rate))} days.` : "It does not fall.";
  return (
    <section>
      <h2>Salience</h2>
      <p>
        {number(node.salience)} now, after {number(node.access_count)} uses, {number(node.recalls ?? 0)} of them by search; last <Time at={node.last_accessed_at} />. {half}{" "}
        {node.archives_at && (
          <>
            Unused, it is archived <Time at={node.archives_at} />.
          </>
        )}
      </p>
      {rate > 0 && (
        <svg class="curve" viewBox={`-2 -2 ${width + 4} ${height + 4}`} role="img" aria-label={`From ${number(node.salience)} today to ${number(node.salience * Math.exp(-rate * year))} in a year`}>
          <polyline points={points.join(" ")} />
        </svg>
      )}
    </section>
  );
}

function Relationships({ path, version, at }: { path: string; version: number; at?: string }) {
  const past = route.value.query.get("past") === "true";
  const list = usePages(
    (cursor, signal) => get<Schemas["RelationshipPage"]>(`${path}/relationships`, { user_id: user(), past: past || undefined, as_of: past ? undefined : at, cursor, limit: 50 }, signal),
    (page) => page.relationships,
    [path, version, past, at],
  );
  return (
    <section>
      <h2>Relationships</h2>
      <label class="check">
        <input type="checkbox" checked={past} onChange={(e) => change({ past: e.currentTarget.checked || undefined })} /> past ones too
      </label>
      <Pages list={list} none="None.">
        {list.rows.length > 0 && (
          <div class="scroll" tabIndex={0} role="region" aria-label="Relationships">
            <table>
              <thead>
                <tr>
                  <th scope="col">Type</th>
                  <th scope="col">Node</th>
                  <th scope="col">Description</th>
                  <th scope="col" class="number">
                    Salience
                  </th>
                  <th scope="col">Valid</th>
                </tr>
              </thead>
              <tbody>
                {list.rows.map((r) => (
                  <tr key={r.key} class={r.valid_to ? "past" : ""}>
                    <td>
                      {r.direction === "incoming" ? "← " : "→ "}
                      <Text text={r.relationship_type ?? r.type} />
                    </td>
                    <td>
                      {r.node ? (
                        <NodeLink kind={r.node.kind} id={r.node.entity_key}>
                          <Text text={r.node.name || r.node.entity_key} />
                        </NodeLink>
                      ) : (
                        <Text text={r.direction === "incoming" ? r.from : r.to} />
                      )}
                    </td>
                    <td>
                      <Text text={r.description} />
                      {believed(r) && <p class="hint">{believed(r)}</p>}
                    </td>
                    <td class="number">{number(r.salience)}</td>
                    <td>
                      {r.valid_from && <Time at={r.valid_from} />}
                      {r.valid_to && (
                        <>
                          {" "}
                          to <Time at={r.valid_to} />
                        </>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Pages>
    </section>
  );
}

function Notes({ node }: { node: View }) {
  const notes = node.notes ?? [];
  if (notes.length === 0) return null;
  return (
    <section>
      <h2>Notes</h2>
      {notes.map((n) => (
        <blockquote key={n.id}>
          <Text text={n.content} />
          <footer>
            <Text text={n.added_by ?? ""} /> <Time at={n.date_added} />
            {believed(n) && ` · ${believed(n)}`}
          </footer>
        </blockquote>
      ))}
    </section>
  );
}

/** Who wrote it and through what, and what mentions it. */
function Provenance({ node, path }: { node: View; path: string }) {
  const list = usePages(
    (cursor, signal) => get<Schemas["MentionPage"]>(`${path}/mentions`, { user_id: user(), cursor, limit: 20 }, signal),
    (page) => page.mentions,
    [path, node.version],
  );
  const write = node.last_write;
  return (
    <section>
      <h2>Where it comes from</h2>
      <p>
        Created <Time at={node.created_at} />, last changed <Time at={node.updated_at} />
        {write && (
          <>
            {" "}
            through <Text text={write.through} />
            {write.by && (
              <>
                {" "}
                by <Text text={write.by === "token" ? "a caller with a token" : `key ${write.by}`} />
              </>
            )}
            {write.source && (
              <>
                , derived from <NodeLink kind="source" id={write.source} />
              </>
            )}
          </>
        )}
        .
      </p>
      {(node.rests_on ?? []).length > 0 && (
        <p>
          Rests on{" "}
          {node.rests_on!.map((key, i) => (
            <>
              {i > 0 && ", "}
              <NodeLink kind="source" id={key} />
            </>
          ))}
          .
        </p>
      )}
      <Pages list={list} none="No conversation mentions it.">
        {list.rows.map((m) => (
          <blockquote key={m.source}>
            <Text text={m.quote || m.summary || ""} />
            <footer>
              {m.role && `${m.role}, `}
              <NodeLink kind="source" id={m.source} /> <Time at={m.at} />
              {m.message && `, message ${m.message}, characters ${m.from ?? 0} to ${m.to}`}
            </footer>
          </blockquote>
        ))}
      </Pages>
    </section>
  );
}

const editable: [keyof View & string, string][] = [
  ["name", "Name"],
  ["description", "Description"],
];

function Change({ node, path, changed }: { node: View; path: string; changed: () => void }) {
  const [open, setOpen] = useState(false);
  if (!may("write") || node.kind === "message") return null;
  const save = async () => {
    const form = new FormData(document.querySelector<HTMLFormElement>("dialog[open] form")!);
    const body: Record<string, unknown> = { if_version: node.version };
    for (const name of ["name", "description", "state", "ttl_policy"]) {
      const value = form.get(name);
      if (value !== null && value !== String(node[name as keyof View] ?? "")) body[name] = value;
    }
    if (Object.keys(body).length === 1) return;
    await patch<View>(path, body, { user_id: user() });
    changed();
  };
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Edit
      </button>
      {open && (
        <Confirm title="Save" act={save} close={() => setOpen(false)}>
          {editable.map(([name, label]) => (
            <Field label={label}>{name === "name" ? <input name={name} defaultValue={String(node[name] ?? "")} maxLength={512} /> : <textarea name={name} rows={5} maxLength={16384} defaultValue={String(node[name] ?? "")} />}</Field>
          ))}
          <Choice name="state" values={["candidate", "active", "core", "archived"]} value={node.state} />
          <Choice name="ttl_policy" values={["decay", "keep_forever", "ephemeral"]} value={node.ttl_policy} />
        </Confirm>
      )}
    </>
  );
}

function Choice({ name, values, value }: { name: string; values: string[]; value: string }) {
  return (
    <Field label={words(name)}>
      <select name={name}>
        {values.map((v) => (
          <option value={v} selected={v === value}>
            {words(v)}
          </option>
        ))}
      </select>
    </Field>
  );
}

function Forget({ node, path, forgotten }: { node: View; path: string; forgotten: (d: Schemas["Deletion"]) => void }) {
  const [open, setOpen] = useState(false);
  if (!may("write")) return null;
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Forget
      </button>
      {open && (
        <Confirm title="Forget" act={async () => forgotten(await remove<Schemas["Deletion"]>(path, { user_id: user(), if_version: node.version }))} close={() => setOpen(false)}>
          <p>
            <Text text={node.name || node.entity_key} /> is deleted with its relationships and notes. It can be restored for a while.
          </p>
        </Confirm>
      )}
    </>
  );
}

/** Says that a source was withdrawn and came back by itself, or that its withdrawal was interrupted. */
function HalfWithdrawn({ node, changed }: { node: View; changed: () => void }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  return (
    <>
      <p role="status">
        It was withdrawn <Time at={node.withdrawn_at} />: nothing new rests on it.{" "}
        {may("write") && (
          <button type="button" onClick={() => undoWithdrawal(node).then(changed, setProblem)}>
            Undo the withdrawal
          </button>
        )}
      </p>
      {problem && <ProblemNote problem={problem} />}
    </>
  );
}

/** Merges another node into this one, and undoes that. The address may name the other, which opens the form. */
function Merge({ node, path, changed }: { node: View; path: string; changed: () => void }) {
  const given = route.value.query.get("merge") ?? "";
  const [open, setOpen] = useState(given !== "");
  const [other, setOther] = useState(given);
  const [take, setTake] = useState<string[]>([]);
  const [plan, setPlan] = useState<Schemas["Merge"] | null>(null);
  const [done, setDone] = useState<Schemas["Merge"] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  if (!may("write") || !["person", "concept", "entity", "project", "system_entity"].includes(node.kind)) return null;
  const ask = (dry: boolean) => post<Schemas["Merge"]>(`${path}/merge`, { other, take, dry_run: dry }, { user_id: user() });
  const look = () => {
    setProblem(null);
    ask(true).then(setPlan, setProblem);
  };
  const merge = async () => {
    setDone(await ask(false));
    changed();
  };
  const close = () => {
    setOpen(false);
    change({ merge: undefined });
  };
  const undo = () =>
    post(`/v1/nodes/${node.kind}/${encodeURIComponent(done!.merged.entity_key)}/restore`, undefined, { user_id: user() }).then(() => {
      setDone(null);
      changed();
    }, setProblem);
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setPlan(null);
          setTake([]);
          setOpen(true);
        }}
      >
        Merge
      </button>
      {done && (
        <span role="status">
          <Text text={done.merged.name || done.merged.entity_key} /> is part of it.{" "}
          <button type="button" onClick={undo}>
            Undo the merge
          </button>
        </span>
      )}
      {open && (
        <Confirm title="Merge" act={merge} close={close}>
          <p>
            Another {node.kind} becomes part of <Text text={node.name || node.entity_key} />, with its relationships, mentions, notes and names. It can be undone for a while.
          </p>
          <Field label="Key of the other">
            <input
              required
              value={other}
              maxLength={256}
              onInput={(e) => {
                setOther(e.currentTarget.value);
                setPlan(null);
              }}
            />
          </Field>
          <button type="button" disabled={!other} onClick={look}>
            Show what it does
          </button>
          {plan && (
            <>
              <p role="status">
                <Text text={plan.merged.name || plan.merged.entity_key} />: {number(plan.relationships)} relationships move, {number(plan.left)} are there already.
              </p>
              {plan.conflicts.map((c) => (
                <label class="check">
                  <input type="checkbox" checked={take.includes(c.field)} onInput={(e) => setTake(e.currentTarget.checked ? [...take, c.field] : take.filter((f) => f !== c.field))} />
                  {words(c.field)} of the other: <Text text={String(c.dropped)} />
                </label>
              ))}
            </>
          )}
        </Confirm>
      )}
      {problem && <ProblemNote problem={problem} />}
    </>
  );
}

function Forgotten({ path, deletion, restored }: { path: string; deletion: Schemas["Deletion"]; restored: () => void }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const undo = () => post(`${path}/restore`, undefined, { user_id: user() }).then(restored, setProblem);
  return (
    <>
      <h1>Forgotten</h1>
      <p role="status">
        <Text text={deletion.key} /> is deleted with {number(deletion.relationships)} relationships. It can be restored until <Time at={deletion.restorable_until} />.
      </p>
      {problem && <ProblemNote problem={problem} />}
      <button type="button" onClick={undo}>
        Undo
      </button>
    </>
  );
}
