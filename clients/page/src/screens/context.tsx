// The text that an agent gets for a user, with what each line costs and why it is there.
import { address, curl, get, send, type Query, type Schemas } from "../api";
import { Copy, Field, number, ProblemNote, Status, user, words } from "../parts/common";
import { useLoad } from "../parts/load";
import { Account, Budget, type Receipt } from "../parts/receipt";
import { change, link, route } from "../route";

const sections = ["user", "relationships", "recent_context", "temporal"];

export function Context() {
  const query = route.value.query;
  const of = user();
  const asked = Number(query.get("max_tokens")) || 0;
  const chosen = query.get("sections") ?? "";
  const request: Query = {
    user_id: of,
    format: "text",
    max_tokens: asked || undefined,
    sections: chosen || undefined,
    as_of: query.get("as_of") ? `${query.get("as_of")}T23:59:59Z` : undefined,
    time_zone: query.get("time_zone"),
    focus_kind: query.get("focus_kind"),
    focus_id: query.get("focus_id"),
  };
  const path = "/v1/context";
  const without = address(path, { ...request, max_tokens: undefined });
  const answer = useLoad(
    (signal) => get<{ receipt: Receipt }>(path, { ...request, explain: true }, signal).then((a) => ({ receipt: a.receipt, of: without })),
    [address(path, request)],
    120,
  );
  const receipt = answer.data?.receipt;

  return (
    <>
      <h1>Context</h1>
      <p class="lead">The text that an agent gets when a conversation with this user begins. Open a line to see why it is there.</p>
      <form class="controls" onSubmit={(e) => e.preventDefault()}>
        <Budget receipt={receipt} of={answer.data?.of ?? ""} asked={asked} set={(tokens) => change({ max_tokens: tokens })} />
        <Field label="As of">
          <input type="date" value={query.get("as_of") ?? ""} onChange={(e) => change({ as_of: e.currentTarget.value })} />
        </Field>
        <Field label="Time zone">
          <input placeholder="of the preferences" value={query.get("time_zone") ?? ""} onChange={(e) => change({ time_zone: e.currentTarget.value.trim() })} />
        </Field>
        <fieldset>
          <legend>Sections</legend>
          {sections.map((name) => {
            const on = chosen ? chosen.split(",") : sections;
            return (
              <label class="check">
                <input
                  type="checkbox"
                  checked={on.includes(name)}
                  onChange={(e) => {
                    const now = sections.filter((s) => (s === name ? e.currentTarget.checked : on.includes(s)));
                    change({ sections: now.length === sections.length || now.length === 0 ? undefined : now.join(",") });
                  }}
                />
                {words(name)}
              </label>
            );
          })}
        </fieldset>
      </form>
      {answer.problem && <ProblemNote problem={answer.problem} retry={answer.reload} />}
      {!receipt && answer.loading && <Status>Loading…</Status>}
      {receipt && (
        <>
          <Account receipt={receipt} loading={answer.loading} setBudget={(tokens) => change({ max_tokens: tokens })}>
            <Copy text={receipt.text}>Copy the text</Copy>
            <Copy text={async () => JSON.stringify(await (await send("GET", path, { query: { ...request, format: undefined, max_tokens: undefined } })).json(), null, 2)}>Copy as JSON</Copy>
            <Copy text={curl("GET", path, request)}>Copy as curl</Copy>
          </Account>
          <NotShown receipt={receipt} />
        </>
      )}
    </>
  );
}

const mend: Record<Schemas["NotShown"]["reason"], string> = {
  no_room: "The section is full. Make a node core, or keep it for ever, to have it before others.",
  faded: "Its salience has faded. It rises with each mention and each time it is used.",
  archived: "It is archived. Change its state to active to have it again.",
  older_than_7_days: "It is older than a week. Search finds it.",
  low_trust: "It is believed too little: a conversation of others, or a write that waits for a review.",
};

function NotShown({ receipt }: { receipt: Receipt }) {
  return (
    <section>
      <h2>Known and not shown</h2>
      {receipt.not_shown.length === 0 && <p>Nothing: all that belongs into the sections above is in them.</p>}
      <ul>
        {receipt.not_shown.map((n) => (
          <li>
            <strong>
              {n.at_least && "at least "}
              {number(n.count)}
            </strong>{" "}
            of {words(n.section)}: {words(n.reason)}. {mend[n.reason]}
          </li>
        ))}
      </ul>
      <p>
        <a href={link("explore", { user: user() })}>Search what is known</a>, and open a node to see why it is, or is not, in the context.
      </p>
    </section>
  );
}
