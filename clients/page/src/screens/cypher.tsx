// Cypher that only reads, with the schema beside it, and its answer as a table.
import { useState } from "preact/hooks";
import { curl, get, post, Problem, type Schemas } from "../api";
import { Copy, Field, NodeLink, number, ProblemNote, Status, Text, user } from "../parts/common";
import { useLoad } from "../parts/load";
import { change, route } from "../route";

interface Table {
  columns: string[];
  rows: unknown[][];
  truncated: boolean;
  message?: string;
}

export function Cypher() {
  const query = route.value.query;
  const schema = useLoad((signal) => get<Schemas["TraverseSchema"]>("/v1/schema", { user_id: user() }, signal), []);
  const [statement, setStatement] = useState(query.get("cypher") ?? "");
  const [parameters, setParameters] = useState("{}");
  const [table, setTable] = useState<Table | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const [took, setTook] = useState(0);
  const body = () => ({ mode: "cypher", user_id: user(), cypher: statement, parameters: JSON.parse(parameters || "{}") as object });
  const run = async (event?: Event) => {
    event?.preventDefault();
    setProblem(null);
    setBusy(true);
    change({ cypher: statement });
    const start = performance.now();
    try {
      setTable(await post<Table>("/v1/traverse", body()));
      setTook(Math.round(performance.now() - start));
    } catch (failure) {
      setTable(null);
      setProblem(failure instanceof Problem ? failure : new Problem(-1, `The parameters are no JSON: ${failure}`));
    }
    setBusy(false);
  };
  return (
    <>
      <h1>Cypher</h1>
      <p class="lead">A statement that only reads. It sees what this user may see, and nothing of others.</p>
      <div class="columns wide-first">
        <section>
          <form onSubmit={run}>
            <Field label="Statement">
              <textarea
                rows={8}
                class="code"
                spellcheck={false}
                value={statement}
                required
                onInput={(e) => setStatement(e.currentTarget.value)}
                onKeyDown={(e) => {
                  if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) void run(e);
                }}
              />
            </Field>
            <Field label="Parameters, as JSON">
              <input class="code" spellcheck={false} value={parameters} onInput={(e) => setParameters(e.currentTarget.value)} />
            </Field>
            <p class="buttons">
              <button type="submit" disabled={busy}>
                Run
              </button>
              <Copy text={() => curl("POST", "/v1/traverse", undefined, body())}>Copy as curl</Copy>
              <span class="hint">Control and Enter run it too.</span>
            </p>
          </form>
          {busy && <Status>Running…</Status>}
          {problem && <ProblemNote problem={problem} />}
          {table && !busy && <Answer table={table} took={took} />}
        </section>
        <section>
          <h2>Schema</h2>
          {schema.problem && <ProblemNote problem={schema.problem} retry={schema.reload} />}
          {schema.data && <Schema schema={schema.data} use={setStatement} parameters={setParameters} />}
        </section>
      </div>
    </>
  );
}

function Answer({ table, took }: { table: Table; took: number }) {
  return (
    <>
      <Status>
        {number(table.rows.length)} rows in {took} ms{table.truncated && ", cut"} {table.message}
      </Status>
      {table.rows.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Answer">
          <table>
            <thead>
              <tr>
                {table.columns.map((name) => (
                  <th scope="col">{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {table.rows.map((row) => (
                <tr>
                  {row.map((value) => (
                    <td>
                      <Value value={value} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function Value({ value }: { value: unknown }) {
  if (typeof value === "string") return <Text text={value} />;
  if (value && typeof value === "object") {
    const node = value as { entity_key?: string; kind?: string; name?: string };
    if (node.entity_key && node.kind) {
      return (
        <NodeLink kind={node.kind} id={node.entity_key}>
          <Text text={node.name || node.entity_key} />
        </NodeLink>
      );
    }
  }
  return <Text text={value === null || value === undefined ? "" : typeof value === "number" ? number(value) : JSON.stringify(value)} />;
}

function Schema({ schema, use, parameters }: { schema: Schemas["TraverseSchema"]; use: (cypher: string) => void; parameters: (json: string) => void }) {
  return (
    <>
      <h3>Examples</h3>
      <ul class="plain">
        {schema.examples.map((e) => (
          <li>
            <button
              type="button"
              class="link"
              onClick={() => {
                use(e.cypher);
                parameters(JSON.stringify(e.parameters ?? {}));
              }}
            >
              {e.question}
            </button>
          </li>
        ))}
      </ul>
      <h3>Kinds</h3>
      <ul class="plain">
        {schema.kinds.map((k) => (
          <li>
            <details>
              <summary>
                <code>{k.label}</code> {number(k.count)}
              </summary>
              <Properties of={k.properties} />
            </details>
          </li>
        ))}
        <li>
          <details>
            <summary>Of every kind</summary>
            <Properties of={schema.common_properties} />
          </details>
        </li>
      </ul>
      <h3>Relationships</h3>
      <ul class="plain">
        {schema.relationship_types.map((r) => (
          <li>
            <code>{r.pattern}</code> {number(r.count)}
          </li>
        ))}
      </ul>
      <h3>Rules</h3>
      <ul>
        {schema.rules.map((r) => (
          <li>{r}</li>
        ))}
      </ul>
    </>
  );
}

function Properties({ of = {} }: { of?: Record<string, string> }) {
  return (
    <ul>
      {Object.entries(of).map(([name, type]) => (
        <li>
          <code>{name}</code> {type}
        </li>
      ))}
    </ul>
  );
}
