// Writes that wait for a decision, as they are believed too little, and what was decided about all further ones.
import { useState } from "preact/hooks";
import { get, may, me, patch, post, Problem, remove, type Schemas } from "../api";
import { believed, Confirm, NodeLink, originWords, Pages, ProblemNote, States, Status, Text, Time, user, words } from "../parts/common";
import { useLoad, usePages } from "../parts/load";
import { change, route } from "../route";

type Review = Schemas["Review"];
type Decision = Schemas["ReviewDecision"]["state"];

/** A write as POST /v1/memory takes it. */
interface Write {
  nodes?: (Partial<Schemas["NodeWrite"]> & Record<string, unknown>)[];
  relationships?: (Partial<Schemas["RelationshipWrite"]> & Record<string, unknown>)[];
}

interface Stored {
  key: string;
  name: string;
  kind: string;
}

const states = ["waiting", "confirmed", "refused"];

/** The whole team's writes, instead of one user's: only keys that are bound to no user see them. */
const ofTeam = () => route.value.query.get("writes") === "team" && !me.value?.user_id;

export function Reviews() {
  const state = route.value.query.get("reviews") ?? "waiting";
  const of = ofTeam() ? undefined : user();
  const list = usePages(
    async (cursor, signal) => {
      const page = await get<Schemas["ReviewPage"]>("/v1/reviews", { user_id: of, state, cursor, limit: 20 }, signal);
      return { ...page, stored: await findStored(page.reviews, signal) };
    },
    (page) => page.reviews.map((review) => ({ review, stored: page.stored })),
    [state, of],
  );
  const rules = useLoad((signal) => get<Schemas["TrustRules"]>("/v1/trust/rules", { user_id: of }, signal), [of]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [always, setAlways] = useState<{ review: Review; decision: Decision } | null>(null);
  const [decided, setDecided] = useState<Schemas["Decided"] | null>(null);
  const decide = async (review: Review, decision: Decision, always: boolean) => {
    setProblem(null);
    setDecided(await patch<Schemas["Decided"]>(`/v1/reviews/${encodeURIComponent(review.key)}`, { state: decision, always }, { user_id: review.user_id }));
    list.reload();
    if (always) rules.reload();
  };
  return (
    <section aria-labelledby="reviews">
      <h2 id="reviews">Writes to decide about</h2>
      <p class="hint">
        Writes with less trust than the team wants. Nothing of them is in the memory before somebody confirms them.
        {!may("admin") && " Deciding needs a key with the scope admin."}
      </p>
      <div class="bar">
        <States label="State of the writes" states={states} state={state} choose={(reviews) => change({ reviews })} />
        {!me.value?.user_id && (
          <label class="check">
            <input type="checkbox" checked={ofTeam()} onChange={(e) => change({ writes: e.currentTarget.checked ? "team" : undefined })} /> of the whole team
          </label>
        )}
      </div>
      {problem && <ProblemNote problem={problem} />}
      {decided && <Became {...decided} />}
      <Pages list={list} none={state === "waiting" ? "No write waits." : "None."}>
        {list.rows.map(({ review: r, stored }) => (
          <article class="hit" key={r.key}>
            <Told review={r} />
            <WriteInWords write={r.write} stored={stored} waits={r.state === "waiting"} />
            {r.state === "waiting" && may("admin") && (
              <p class="buttons">
                {(["confirmed", "refused"] as const).map((decision) => (
                  <button type="button" onClick={() => decide(r, decision, false).catch(setProblem)}>
                    {verb(decision)}
                  </button>
                ))}
                {(["confirmed", "refused"] as const).map((decision) => (
                  <button type="button" onClick={() => setAlways({ review: r, decision })}>
                    Always {verb(decision).toLowerCase()}
                  </button>
                ))}
              </p>
            )}
          </article>
        ))}
      </Pages>
      <Rules rules={rules.data?.rules ?? []} problem={rules.problem} reload={rules.reload} />
      {always && (
        <Confirm title={`Always ${verb(always.decision).toLowerCase()}`} act={() => decide(always.review, always.decision, true)} close={() => setAlways(null)}>
          <p>
            This write, and all further ones from <Whom of={always.review} /> for {always.review.user_id ? <Text text={always.review.user_id} /> : "what the team shares"}, are{" "}
            {always.decision === "confirmed" ? "stored without waiting, with the trust that they have." : "refused."} It can be ended below the list.
          </p>
        </Confirm>
      )}
    </section>
  );
}

const verb = (decision: Decision) => (decision === "confirmed" ? "Confirm" : "Refuse");

/** Whose writes a rule is about: those of an author, or those of an origin that name no author. */
function Whom({ of }: { of: { origin?: string; author?: string } }) {
  if (of.author) {
    return (
      <>
        <Text text={of.author} /> ({originWords(of.origin)})
      </>
    );
  }
  return <>{originWords(of.origin)} without an author</>;
}

/** Who told it, when, and from which sources. */
function Told({ review: r }: { review: Review }) {
  return (
    <p>
      <strong>{believed(r)}</strong>
      {r.author && (
        <>
          , by <Text text={r.author} />
        </>
      )}
      {ofTeam() && <>, for {r.user_id ? <Text text={r.user_id} /> : "what the team shares"}</>}, <Time at={r.created_at} />
      {r.derived_from?.map((key, i) => (
        <>
          {i === 0 ? ", derived from " : ", "}
          <NodeLink kind="source" id={key} of={r.user_id} />
        </>
      ))}
      {r.decided_at && (
        <>
          , {r.state} <Time at={r.decided_at} />
        </>
      )}
    </p>
  );
}

/** The stored nodes that some writes name, which the user of this page sees. Without an answer their keys are shown. */
async function findStored(reviews: Review[], signal: AbortSignal): Promise<Map<string, Stored>> {
  const keys = new Set<string>();
  for (const { write } of reviews as { write: Write }[]) {
    for (const n of write.nodes ?? []) if (n.entity_key) keys.add(n.entity_key);
    for (const r of write.relationships ?? []) keys.add(r.from!).add(r.to!);
  }
  if (keys.size === 0) return new Map();
  const cypher = "UNWIND $keys AS key MATCH (n {entity_key: key}) RETURN n.entity_key AS key, coalesce(n.name, n.title, n.entity_key) AS name, head([label IN labels(n) WHERE label <> 'Memory']) AS kind LIMIT 1000";
  try {
    const { rows } = await post<{ rows: string[][] }>("/v1/traverse", { mode: "cypher", user_id: user(), cypher, parameters: { keys: [...keys] } }, {}, signal);
    return new Map(rows.map(([key, name, kind]) => [key!, { key: key!, name: name!, kind: kind! }]));
  } catch (failure) {
    if (signal.aborted) throw failure;
    return new Map();
  }
}

const nameOf = (n: NonNullable<Write["nodes"]>[number]) => String(n.name || n.title || n.entity_key || "a node without a name");

/** Fields of a write that its heading says, or that say nothing of what would be stored. */
const told = ["notes", "user_id", "origin", "trust", "history", "if_version"];
const toldOfNodes = [...told, "kind", "entity_key", "name"];
const toldOfRelationships = [...told, "from", "to", "type"];

/** What a write would store: its nodes and relationships by their names and texts. While it waits, stored nodes are those that it changes. */
function WriteInWords({ write, stored, waits }: { write: Write; stored: Map<string, Stored>; waits: boolean }) {
  const names = new Map((write.nodes ?? []).map((n) => [n.entity_key, nameOf(n)]));
  const end = (key: string) => {
    const node = stored.get(key);
    return node ? (
      <NodeLink kind={node.kind} id={key}>
        <Text text={node.name} />
      </NodeLink>
    ) : (
      <Text text={names.get(key) ?? key} />
    );
  };
  const changes = (n: { entity_key?: string | null }) => waits && stored.has(n.entity_key ?? "");
  return (
    <ul class="write">
      {write.nodes?.map((n) => (
        <li>
          {changes(n) && (
            <>
              changes {end(n.entity_key!)}
              {n.name && ", named "}
            </>
          )}
          {(n.name || !changes(n)) && (
            <strong>
              <Text text={nameOf(n)} />
            </strong>
          )}{" "}
          ({words(n.kind ?? "")})
          <Rest item={n} told={toldOfNodes} />
        </li>
      ))}
      {write.relationships?.map((r) => (
        <li>
          {end(r.from!)} → {words(r.type!)} → {end(r.to!)}
          <Rest item={r} told={toldOfRelationships} />
        </li>
      ))}
    </ul>
  );
}

/** The description of an item, its notes and its other fields. */
function Rest({ item, told }: { item: Record<string, unknown>; told: string[] }) {
  const notes = (item.notes ?? []) as { content: string }[];
  const fields = Object.entries(item).filter(([name, value]) => name !== "description" && !told.includes(name) && inWords(value) !== "");
  return (
    <>
      {item.description ? (
        <>
          : <Text text={String(item.description)} />
        </>
      ) : null}
      {notes.map((n) => (
        <blockquote>
          <Text text={n.content} />
        </blockquote>
      ))}
      {fields.length > 0 && (
        <div class="hint">
          {fields.map(([name, value], i) => (
            <>
              {i > 0 && " · "}
              {words(name)}: <Text text={inWords(value)} />
            </>
          ))}
        </div>
      )}
    </>
  );
}

function inWords(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(inWords).join(", ");
  if (typeof value === "object") {
    return Object.entries(value)
      .map(([name, v]) => `${name} ${inWords(v)}`)
      .join(", ");
  }
  return String(value);
}

/** What became of each item of a write that somebody has just decided about. */
function Became({ review, result }: Schemas["Decided"]) {
  const write = review.write as Write;
  const names = new Map((write.nodes ?? []).map((n, i) => [n.entity_key ?? result.nodes[i]?.entity_key, nameOf(n)]));
  return (
    <div class="made" role="status">
      {review.state === "refused" ? (
        <p>
          Refused: <Text text={[...names.values()].join(", ") || "the relationships"} />. Nothing of it was stored.
        </p>
      ) : (
        <ul class="plain">
          {result.nodes.map((n, i) => (
            <li>
              <NodeLink kind={write.nodes?.[i]?.kind ?? ""} id={n.entity_key} of={review.user_id}>
                <Text text={names.get(n.entity_key) ?? n.entity_key} />
              </NodeLink>{" "}
              {n.status}
              {n.error && `: ${n.error}`}
            </li>
          ))}
          {result.relationships.map((r) => (
            <li>
              <Text text={names.get(r.from) ?? r.from} /> → {words(r.type)} → <Text text={names.get(r.to) ?? r.to} /> {r.status}
              {r.error && `: ${r.error}`}
            </li>
          ))}
          {result.warnings.map((w) => (
            <li>
              <Text text={w} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

type Rule = Schemas["TrustRule"];

/** What was decided about all further writes, each of which can be ended. */
function Rules({ rules, problem, reload }: { rules: Rule[]; problem: Problem | null; reload: () => void }) {
  const [failed, setFailed] = useState<Problem | null>(null);
  const [ended, setEnded] = useState<Rule | null>(null);
  const end = (rule: Rule) =>
    remove("/v1/trust/rules", { user_id: rule.user_id, origin: rule.origin, author: rule.author }).then(() => {
      setFailed(null);
      setEnded(rule);
      reload();
    }, setFailed);
  if (rules.length === 0 && !problem && !ended) return null;
  return (
    <>
      <h3>Decided about all further writes</h3>
      {problem && <ProblemNote problem={problem} retry={reload} />}
      {failed && <ProblemNote problem={failed} />}
      {ended && (
        <Status>
          Writes from <Whom of={ended} /> wait again.
        </Status>
      )}
      <ul class="plain">
        {rules.map((r) => (
          <li key={`${r.user_id} ${r.origin} ${r.author}`}>
            From <Whom of={r} />
            {ofTeam() && <> for {r.user_id ? <Text text={r.user_id} /> : "what the team shares"}</>}: always {r.decision}, since <Time at={r.created_at} />{" "}
            {may("admin") && (
              <button type="button" onClick={() => end(r)} aria-label={`End the rule about ${r.author || originWords(r.origin)}`}>
                End
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
