// Pairs of nodes that may be one thing: they are merged, or said to be two.
import { useState } from "preact/hooks";
import { get, may, patch, Problem, type Schemas } from "../api";
import { NodeLink, Pages, ProblemNote, States, Status, Text, Time, user } from "../parts/common";
import { usePages } from "../parts/load";
import { change, link, route } from "../route";

type Proposal = Schemas["Proposal"];

const states = ["proposed", "refused"];

export function Duplicates() {
  const state = route.value.query.get("pairs") ?? "proposed";
  const list = usePages(
    (cursor, signal) => get<Schemas["DuplicatePage"]>("/v1/duplicates", { user_id: user(), state, cursor, limit: 50 }, signal),
    (page) => page.duplicates,
    [state],
  );
  const [problem, setProblem] = useState<Problem | null>(null);
  const [said, setSaid] = useState("");
  const decide = (p: Proposal, decision: "refuse" | "admit") =>
    patch("/v1/duplicates", { [decision]: [{ first: p.nodes[0]!.entity_key, second: p.nodes[1]!.entity_key }] }, { user_id: user() }).then(() => {
      setProblem(null);
      setSaid(decision === "refuse" ? `${namesOf(p)} are two things, and are not proposed again.` : `${namesOf(p)} may be proposed again.`);
      list.reload();
    }, setProblem);
  return (
    <section aria-labelledby="duplicates">
      <h2 id="duplicates">Could be one thing</h2>
      <States label="State of the pairs" states={states} state={state} choose={(pairs) => change({ pairs })} />
      {problem && <ProblemNote problem={problem} />}
      {said && (
        <Status>
          <Text text={said} />
        </Status>
      )}
      <Pages list={list} none={state === "proposed" ? "No pair is proposed." : "No pair was refused."}>
        {list.rows.map((p) => (
          <article class="hit" key={p.nodes.map((n) => n.entity_key).join(" ")}>
            <Pair of={p} />
            {may("write") && (
              <p class="buttons">
                <a href={merging(p)} aria-label={`Merge ${namesOf(p)}`}>
                  Merge
                </a>
                {state === "proposed" ? (
                  <button type="button" onClick={() => decide(p, "refuse")} aria-label={`Two things: ${namesOf(p)}`}>
                    Two things
                  </button>
                ) : (
                  <button type="button" onClick={() => decide(p, "admit")} aria-label={`Propose again: ${namesOf(p)}`}>
                    Propose again
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

const namesOf = (p: Proposal) => p.nodes.map((n) => n.name || n.entity_key).join(" and ");

/** The form that merges the second of a pair into the first. */
const merging = (p: Proposal) => link("node", { user: user(), kind: p.kind, key: p.nodes[0]!.entity_key, merge: p.nodes[1]!.entity_key });

function Pair({ of: p }: { of: Proposal }) {
  return (
    <>
      <p class="hint">
        {p.kind}, {p.probability === undefined ? "refused " : `${Math.floor(100 * p.probability)} % probable, proposed `}
        <Time at={p.refused_at ?? p.proposed_at} />
      </p>
      <ul class="plain">
        {p.nodes.map((n) => (
          <li>
            <NodeLink kind={p.kind} id={n.entity_key}>
              <Text text={n.name || n.entity_key} />
            </NodeLink>{" "}
            <span class="hint">
              <Text text={[n.type, n.user_id ? "" : "shared by the team"].filter(Boolean).join(", ")} />
            </span>{" "}
            <Text text={n.description ?? ""} />
          </li>
        ))}
      </ul>
      <Why reasons={p.reasons ?? []} />
    </>
  );
}

/** What speaks for a pair, and what against it. */
function Why({ reasons }: { reasons: Schemas["Reason"][] }) {
  const side = (name: string, on: Schemas["Reason"][]) => on.length > 0 && <li>{`${name}: ${on.map((r) => r.text).join(", ")}`}</li>;
  return (
    <ul class="conditions">
      {side("For", reasons.filter((r) => r.weight >= 0))}
      {side("Against", reasons.filter((r) => r.weight < 0))}
    </ul>
  );
}
