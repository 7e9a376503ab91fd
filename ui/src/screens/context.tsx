// The text that an agent gets for a user, with what each line costs and why it is there.
import { useMemo, useRef } from "preact/hooks";
import { address, curl, get, send, type Query, type Schemas } from "../api";
import { Copy, Field, NodeLink, number, ProblemNote, Status, Text, Time, user, words } from "../parts/common";
import { useLoad } from "../parts/load";
import { change, link, route } from "../route";

type Receipt = Schemas["Receipt"];
type Item = Omit<Schemas["Span"], "from" | "to" | "part">;

const least = 100; // the smallest max_tokens of the API
const sections = ["user", "relationships", "recent_context", "temporal"];

/** A row of the text: a line of it, or a line that was cut. */
interface Row {
  id: string;
  text: string;
  item: Item;
  part: string; // of the span, or "cut"
  backAt: number; // of a line that was cut
}

const decoder = new TextDecoder();

/** The rows of a receipt: the lines that were cut stand where their section would have them. */
export function rowsOf(receipt: Receipt): Row[] {
  const bytes = new TextEncoder().encode(receipt.text); // spans count bytes
  const rows: Row[] = receipt.spans.map((s, i) => ({ id: `${s.part}${i}`, text: decoder.decode(bytes.subarray(s.from, s.to)), item: s, part: s.part, backAt: 0 }));
  const order = new Map(receipt.left_out.map((cut, i) => [cut, i]));
  const cut = [...receipt.left_out].sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0) || order.get(a)! - order.get(b)!);
  for (const line of cut) {
    const row: Row = { id: `cut ${line.section} ${line.rank}`, text: line.text, item: line, part: "cut", backAt: line.back_at };
    let place = -1; // after the last row of the section that ranks before it
    rows.forEach((r, i) => {
      if (r.item.section === line.section && (r.part === "heading" || (r.item.rank ?? 0) < (line.rank ?? 0))) place = i;
    });
    if (place < 0) {
      place = rows.findLastIndex((r) => r.part !== "now" && r.part !== "conversation");
    }
    rows.splice(place + 1, 0, row);
  }
  return rows;
}

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
  // The slider ends where nothing is cut: at the size of the whole text, which is known when it was loaded once.
  const whole = useRef({ of: "", tokens: 0 });
  if (receipt && whole.current.of !== answer.data!.of) whole.current = { of: answer.data!.of, tokens: 0 };
  if (receipt) {
    const size = Math.max(receipt.tokens, ...receipt.left_out.map((l) => l.back_at));
    if (!receipt.max_tokens || size > whole.current.tokens) whole.current.tokens = size;
  }
  const most = Math.max(whole.current.tokens, asked, least + 1);
  const rows = useMemo(() => (receipt ? rowsOf(receipt) : []), [receipt]);
  const set = (tokens: number) => change({ max_tokens: tokens >= most ? undefined : tokens });

  return (
    <>
      <h1>Context</h1>
      <p class="lead">The text that an agent gets when a conversation with this user begins. Open a line to see why it is there.</p>
      <form class="controls" onSubmit={(e) => e.preventDefault()}>
        <div class="budget">
          <label for="budget">
            Token budget: <output>{asked || `none, ${number(receipt?.tokens)} used`}</output>
          </label>
          <input
            id="budget"
            type="range"
            min={least}
            max={most}
            step={10}
            value={asked || most}
            aria-valuetext={asked ? `${asked} tokens` : "no budget"}
            onInput={(e) => set(Number(e.currentTarget.value))}
          />
        </div>
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
          <div class="bar">
            <Status>
              {number(receipt.tokens)} tokens, {number(receipt.spans.filter((s) => s.part === "line").length)} lines
              {receipt.left_out.length > 0 && `, ${number(receipt.left_out.length)} left out`}
              {(receipt.degraded ?? []).length > 0 && `; could not be loaded: ${receipt.degraded!.map(words).join(", ")}`}
            </Status>
            <Copy text={receipt.text}>Copy the text</Copy>
            <Copy text={async () => JSON.stringify(await (await send("GET", path, { query: { ...request, format: undefined, max_tokens: undefined } })).json(), null, 2)}>Copy as JSON</Copy>
            <Copy text={curl("GET", path, request)}>Copy as curl</Copy>
          </div>
          <div class={`lines${answer.loading ? " stale" : ""}`}>
            {rows.map((row) => (
              <Line key={row.id} row={row} />
            ))}
          </div>
          <LeftOut receipt={receipt} />
          <NotShown receipt={receipt} />
        </>
      )}
    </>
  );
}

function Line({ row }: { row: Row }) {
  const { item } = row;
  const cut = row.part === "cut";
  const text = row.text.replace(/^\n+|\n+$/g, "");
  const shown = cut ? (
    <del>
      <Text text={text} />
    </del>
  ) : (
    <Text text={text} />
  );
  const cost = <span class="cost">{cut ? `back at ${number(row.backAt)}` : number(item.tokens)}</span>;
  if (!item.rule) {
    return (
      <div class={`line ${row.part}`}>
        <span class="text">{shown}</span>
        {cost}
      </div>
    );
  }
  return (
    <details class={`line ${row.part}`} data-key={item.key}>
      <summary>
        <span class="text">{shown}</span>
        {cost}
        <span class="why">{item.rule}</span>
      </summary>
      <Why item={item} cut={cut} />
    </details>
  );
}

/** Why a line is in the text, and where it comes from. */
function Why({ item, cut }: { item: Item; cut: boolean }) {
  const node = ["person", "concept", "entity", "source", "note"].includes(item.kind ?? "");
  return (
    <dl class="detail">
      <dt>Why</dt>
      <dd>
        {item.rule}
        {item.rank && item.of ? `; ${item.rank} of ${item.of} in ${words(item.section ?? "")}` : ""}
        {cut && "; left out to keep the budget"}
      </dd>
      {item.key && (
        <>
          <dt>{item.kind}</dt>
          <dd>
            {node && item.kind !== "note" ? <NodeLink kind={item.kind!} id={item.key} /> : <Text text={item.key} />}
            {item.version ? `, version ${item.version}` : ""}
            {item.relationship_type && `, by ${item.relationship_type}`}
          </dd>
        </>
      )}
      {item.value !== undefined && (
        <>
          <dt>{words(item.by ?? "value")}</dt>
          <dd>
            <meter min={0} max={1} value={item.value ?? 0} aria-label={words(item.by ?? "value")} /> {number(item.value)}
            {item.beat && (
              <>
                , before <Text text={item.beat.key} /> {item.beat.value !== undefined && `with ${number(item.beat.value)}`}
              </>
            )}
          </dd>
        </>
      )}
      {item.at && (
        <>
          <dt>Last</dt>
          <dd>
            <Time at={item.at} />
          </dd>
        </>
      )}
      {(item.provenance ?? []).length > 0 && (
        <>
          <dt>Sources</dt>
          <dd>
            <ul>
              {item.provenance!.map((p) => (
                <li>
                  <NodeLink kind="source" id={p.source} />
                  {p.message && (
                    <>
                      , message <Text text={p.message} />
                    </>
                  )}
                  {p.to ? `, characters ${p.from ?? 0} to ${p.to}` : ""}
                  {p.holds ? ": the line rests on it" : ": mentions it"}
                </li>
              ))}
            </ul>
          </dd>
        </>
      )}
    </dl>
  );
}

function LeftOut({ receipt }: { receipt: Receipt }) {
  if (receipt.left_out.length === 0) return null;
  return (
    <section>
      <h2>Left out, in the order of cutting</h2>
      <ol class="left-out">
        {receipt.left_out.map((l) => (
          <li>
            <Text text={l.text.trim()} />{" "}
            <button type="button" onClick={() => change({ max_tokens: l.back_at })}>
              back at {number(l.back_at)}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

const mend: Record<Schemas["NotShown"]["reason"], string> = {
  no_room: "The section is full. Make a node core, or keep it for ever, to have it before others.",
  faded: "Its salience has faded. It rises with each mention and each time it is used.",
  archived: "It is archived. Change its state to active to have it again.",
  older_than_7_days: "It is older than a week. Search finds it.",
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
