// Search, with what each hit's score is made of; two queries stand side by side.
import { useState } from "preact/hooks";
import { post, type Schemas } from "../api";
import { believed, Field, NodeLink, number, ProblemNote, Status, Text, Time, user, words } from "../parts/common";
import { useLoad } from "../parts/load";
import { change, route } from "../route";

type Explanation = Schemas["ExploreExplanation"];

export function Explore() {
  const query = route.value.query;
  const two = query.has("second");
  return (
    <>
      <h1>Explore</h1>
      <p class="lead">What the memory finds for a question or a name, and what each hit earned its score with.</p>
      <label class="check">
        <input type="checkbox" checked={two} onChange={(e) => change({ second: e.currentTarget.checked ? "words" : undefined, q2: undefined })} /> Compare two queries
      </label>
      <div class={two ? "columns" : ""}>
        <Search name="q" label={two ? "First query" : "Query"} evidence="evidence" />
        {two && <Search name="q2" label="Second query" evidence="evidence2" />}
      </div>
    </>
  );
}

const kinds = ["words", "neighbours", "links", "meaning"];

function Search({ name, label, evidence }: { name: string; label: string; evidence: string }) {
  const query = route.value.query;
  const text = query.get(name) ?? "";
  const counts = query.get(evidence) ?? "";
  const deep = query.get(`${name}_mode`) ?? "fast";
  const archived = query.get(`${name}_archived`) === "true";
  const [typed, setTyped] = useState(text);
  const body = {
    user_id: user(),
    queries: [{ query: text }],
    return_explanations: true,
    limit: 20,
    mode: deep,
    include_archived: archived || undefined,
    evidence: counts ? counts.split(",") : undefined,
  };
  const found = useLoad(
    (signal) => (text ? post<Schemas["ExploreResult"]>("/v1/explore", body, {}, signal) : Promise.resolve(null)),
    [JSON.stringify(body)],
  );
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (typed.trim() === text) found.reload();
    change({ [name]: typed.trim() });
  };
  const on = counts ? counts.split(",") : kinds;
  return (
    <section>
      <form class="row" onSubmit={submit} role="search" aria-label={label}>
        <Field label={label}>
          <input type="search" value={typed} required onInput={(e) => setTyped(e.currentTarget.value)} />
        </Field>
        <button type="submit">Search</button>
        <fieldset>
          <legend>Evidence that counts</legend>
          {kinds.map((kind) => (
            <label class="check">
              <input
                type="checkbox"
                checked={on.includes(kind)}
                onChange={(e) => {
                  const now = kinds.filter((k) => (k === kind ? e.currentTarget.checked : on.includes(k)));
                  change({ [evidence]: now.length === 0 || now.length === kinds.length ? undefined : now.join(",") });
                }}
              />
              {kind}
            </label>
          ))}
          <label class="check">
            <input type="checkbox" checked={deep === "deep"} onChange={(e) => change({ [`${name}_mode`]: e.currentTarget.checked ? "deep" : undefined })} /> deep
          </label>
          <label class="check">
            <input type="checkbox" checked={archived} onChange={(e) => change({ [`${name}_archived`]: e.currentTarget.checked || undefined })} /> archived too
          </label>
        </fieldset>
      </form>
      {found.problem && <ProblemNote problem={found.problem} retry={found.reload} />}
      {text && found.loading && <Status>Searching…</Status>}
      {found.data && <Found result={found.data} />}
    </section>
  );
}

function Found({ result }: { result: Schemas["ExploreResult"] }) {
  const { episodic, semantic, meta } = result;
  const nodes: [string, string, Schemas["NodeHit"][]][] = [
    ["People", "person", semantic.people],
    ["Concepts", "concept", semantic.concepts],
    ["Entities", "entity", semantic.entities],
    ["Of projects and systems", "", semantic.others ?? []],
  ];
  const sources = episodic.sources;
  const artifacts = episodic.artifacts ?? [];
  const empty = nodes.every(([, , hits]) => hits.length === 0) && sources.length + artifacts.length + semantic.relationships.length === 0;
  return (
    <>
      {(meta.times ?? []).map((t) => (
        <p class="hint">
          <Text text={JSON.stringify(t)} />
        </p>
      ))}
      {empty && <Status>Nothing was found.</Status>}
      {(meta.distrusted ?? 0) > 0 && <p class="hint">Left out for too little trust: {number(meta.distrusted)}.</p>}
      {sources.length > 0 && <h2>Sources</h2>}
      {sources.map((s) => (
        <Hit title={<NodeLink kind="source" id={s.entity_key}>{<Text text={s.name || s.entity_key} />}</NodeLink>} hit={s}>
          <p class="hint">
            {words(s.source_type ?? "")} <Time at={s.started_at} />
          </p>
          {s.summary && (
            <p>
              <Text text={s.summary} />
            </p>
          )}
          {(s.messages ?? []).map((m) => (
            <blockquote>
              <Text text={m.text} />
              <footer>
                {m.role} <Time at={m.at} />
              </footer>
            </blockquote>
          ))}
        </Hit>
      ))}
      {nodes.map(([name, kind, hits]) =>
        hits.length === 0 ? null : (
          <>
            <h2>{name}</h2>
            {hits.map((n) => (
              <Hit title={<NodeLink kind={kind || n.node_type} id={n.entity_key}>{<Text text={n.name} />}</NodeLink>} hit={n}>
                <p>
                  <Text text={n.description ?? ""} />
                </p>
                {(n.notes_snippets ?? []).map((text) => (
                  <blockquote>
                    <Text text={text} />
                  </blockquote>
                ))}
              </Hit>
            ))}
          </>
        ),
      )}
      {artifacts.length > 0 && <h2>Documents and outputs</h2>}
      {artifacts.map((a) => (
        <Hit title={<NodeLink kind={a.content_type} id={a.entity_key}>{<Text text={a.name} />}</NodeLink>} hit={a}>
          <p>
            <Text text={a.description ?? ""} />
          </p>
        </Hit>
      ))}
      {semantic.relationships.length > 0 && <h2>Relationships</h2>}
      {semantic.relationships.map((r) => (
        <Hit
          title={
            <>
              <Text text={r.from_name} /> {r.relationship_type} <Text text={r.to_name} />
            </>
          }
          hit={r}
        >
          <p>
            <Text text={r.description ?? ""} />
          </p>
        </Hit>
      ))}
    </>
  );
}

interface Scored {
  relevance_score: number;
  explanation?: Explanation;
  origin?: string;
  trust?: number;
}

function Hit({ title, hit, children }: { title: preact.ComponentChildren; hit: Scored; children?: preact.ComponentChildren }) {
  return (
    <article class="hit">
      <h3>
        {title} <span class="cost">{number(hit.relevance_score)}</span>
      </h3>
      {hit.explanation && <Earned explanation={hit.explanation} />}
      {believed(hit) && <p class="hint">{believed(hit)}</p>}
      {children}
    </article>
  );
}

const parts = ["words", "links", "meaning", "recency", "salience", "time"] as const;

/** What a score is made of: a bar, and the same as words. */
function Earned({ explanation }: { explanation: Explanation }) {
  const values = parts.map((part) => [part, Number((explanation as Record<string, unknown>)[part] ?? 0)] as const).filter(([, value]) => value > 0);
  const total = values.reduce((sum, [, value]) => sum + value, 0);
  return (
    <div class="earned">
      <div class="stack" aria-hidden="true">
        {values.map(([part, value]) => (
          <span class={part} style={{ flexGrow: value / total }} />
        ))}
      </div>
      <ul>
        {values.map(([part, value]) => (
          <li class={part}>
            {part} {number(value)}
          </li>
        ))}
      </ul>
    </div>
  );
}
