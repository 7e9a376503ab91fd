// What an agent gets of a project: the text, its budget, and what of the project it covers.
import { curl, get, type Query, type Schemas } from "../api";
import { Copy, Field, NodeLink, number, ProblemNote, Status, Text, user, words } from "../parts/common";
import { useLoad } from "../parts/load";
import { Account } from "../parts/receipt";
import { change, link, route } from "../route";

const focusKinds = ["task", "plan", "goal", "document", "output", "milestone", "risk", "decision", "requirement"];

export function Workspace() {
  const query = route.value.query;
  const project = query.get("project") ?? "";
  const projects = useLoad((signal) => get<Schemas["NodePage"]>("/v1/nodes/project", { user_id: user(), limit: 200 }, signal), []);
  const rows = projects.data?.nodes ?? [];
  return (
    <>
      <h1>Workspace</h1>
      <p class="lead">The text that an agent gets when it works in a project of this user.</p>
      {projects.problem && <ProblemNote problem={projects.problem} retry={projects.reload} />}
      {projects.loading && <Status>Loading…</Status>}
      {projects.data && rows.length === 0 && <Status>There are no projects yet.</Status>}
      <ul class="plain">
        {rows.map((p) => (
          <li key={p.entity_key}>
            <a href={link("workspace", { user: user(), project: p.entity_key })} aria-current={p.entity_key === project ? "true" : undefined}>
              <Text text={p.name || p.entity_key} />
            </a>{" "}
            <span class="hint">{words(p.state_key ?? "")}</span>
          </li>
        ))}
      </ul>
      {project && <Project id={project} />}
    </>
  );
}

function Project({ id }: { id: string }) {
  const query = route.value.query;
  const kind = query.get("focus_kind") ?? "";
  const focus = query.get("focus") ?? "";
  const budget = Number(query.get("max_tokens")) || undefined;
  const request: Query = {
    user_id: user(),
    context_type: kind && focus ? "combined" : "project",
    project_id: id,
    focus_kind: focus ? kind : undefined,
    focus_id: kind ? focus : undefined,
  };
  const path = "/v1/ontology";
  const object = useLoad(
    (signal) => get<Schemas["OntologyContext"]>(path, { ...request, explain: true, max_tokens: budget }, signal),
    [JSON.stringify(request), budget],
    150,
  );
  const receipt = object.data?.receipt;
  const elements = useLoad(
    (signal) => (kind ? get<Schemas["NodePage"]>(`/v1/nodes/${kind}`, { user_id: user(), project_id: id, limit: 200 }, signal) : Promise.resolve(null)),
    [kind, id],
  );
  const counts = Object.entries(object.data?.metadata?.entity_count ?? {}) as [string, number][];
  const coverage = Object.entries(object.data?.metadata?.graph_snapshot?.coverage ?? {}) as [string, { total?: number; direct?: number; unlinked?: number }][];
  return (
    <>
      <form class="controls" onSubmit={(e) => e.preventDefault()}>
        <Field label="Token budget (empty: none)">
          <input inputMode="numeric" value={query.get("max_tokens") ?? ""} onChange={(e) => change({ max_tokens: e.currentTarget.value.trim() })} />
        </Field>
        <Field label="Focus on a">
          <select onChange={(e) => change({ focus_kind: e.currentTarget.value, focus: undefined })}>
            <option value="">nothing</option>
            {focusKinds.map((k) => (
              <option value={k} selected={k === kind}>
                {k}
              </option>
            ))}
          </select>
        </Field>
        {kind && (
          <Field label={`Which ${kind}`}>
            <select onChange={(e) => change({ focus: e.currentTarget.value })}>
              <option value="">choose</option>
              {(elements.data?.nodes ?? []).map((n) => (
                <option value={n.entity_key} selected={n.entity_key === focus}>
                  {n.name || n.title || n.entity_key}
                </option>
              ))}
            </select>
          </Field>
        )}
      </form>
      {object.problem && <ProblemNote problem={object.problem} retry={object.reload} />}
      {!receipt && object.loading && <Status>Loading…</Status>}
      {receipt && (
        <Account receipt={receipt} loading={object.loading} setBudget={(tokens) => change({ max_tokens: tokens })}>
          <NodeLink kind="project" id={id}>
            The project's node
          </NodeLink>
          <Copy text={receipt.text}>Copy the text</Copy>
          <Copy text={() => JSON.stringify({ ...object.data, receipt: undefined }, null, 2)}>Copy as JSON</Copy>
          <Copy text={curl("GET", path, { ...request, format: "text", max_tokens: budget })}>Copy as curl</Copy>
        </Account>
      )}
      {counts.length > 0 && (
        <section>
          <h2>What the project has</h2>
          <div class="scroll" tabIndex={0} role="region" aria-label="What the project has">
            <table>
              <thead>
                <tr>
                  <th scope="col">Kind</th>
                  <th scope="col" class="number">
                    Nodes
                  </th>
                  <th scope="col" class="number">
                    Linked with the project
                  </th>
                  <th scope="col" class="number">
                    Not linked
                  </th>
                </tr>
              </thead>
              <tbody>
                {counts.map(([name, count]) => {
                  const share = coverage.find(([covered]) => covered === name)?.[1];
                  return (
                    <tr key={name}>
                      <th scope="row">{words(name)}</th>
                      <td class="number">{number(count)}</td>
                      <td class="number">{number(share?.direct)}</td>
                      <td class="number">{number(share?.unlinked)}</td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </div>
        </section>
      )}
    </>
  );
}
