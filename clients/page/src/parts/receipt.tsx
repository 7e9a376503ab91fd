// What a text of the memory costs and why each line of it is there.
import type { ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { Schemas } from "../api";
import { NodeLink, number, Status, Text, Time, words } from "./common";

export type Receipt = Schemas["Receipt"];
type Item = Omit<Schemas["Span"], "from" | "to" | "part">;

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
function rowsOf(receipt: Receipt): Row[] {
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

const least = 100; // the smallest max_tokens of the API

/** A slider of the budget. It ends where nothing is cut: at the size of the whole text, once that is known. of names the text. */
export function Budget({ receipt, of, asked, set }: { receipt: Receipt | undefined; of: string; asked: number; set: (tokens: number | undefined) => void }) {
  const whole = useRef({ of: "", tokens: 0 });
  if (receipt && whole.current.of !== of) whole.current = { of, tokens: 0 };
  if (receipt) {
    const size = Math.max(receipt.tokens, ...receipt.left_out.map((l) => l.back_at));
    if (!receipt.max_tokens || size > whole.current.tokens) whole.current.tokens = size;
  }
  const most = Math.max(whole.current.tokens, least + 1);
  return (
    <div class="budget">
      <label for="budget">
        Token budget: <output>{asked && asked < most ? asked : `none, ${number(receipt?.tokens)} used`}</output>
      </label>
      <input
        id="budget"
        type="range"
        min={least}
        max={most}
        step={10}
        value={asked || most}
        aria-valuetext={asked ? `${asked} tokens` : "no budget"}
        onInput={(e) => set(Number(e.currentTarget.value) >= most ? undefined : Number(e.currentTarget.value))}
      />
    </div>
  );
}

/** The text of a receipt with its lines, and what was left out of it. */
export function Account({ receipt, loading, setBudget, children }: { receipt: Receipt; loading: boolean; setBudget: (tokens: number) => void; children?: ComponentChildren }) {
  const rows = useMemo(() => rowsOf(receipt), [receipt]);
  return (
    <>
      <div class="bar">
        <Status>
          {number(receipt.tokens)} tokens, {number(receipt.spans.filter((s) => s.part === "line").length)} lines
          {receipt.left_out.length > 0 && `, ${number(receipt.left_out.length)} left out`}
          {(receipt.degraded ?? []).length > 0 && `; could not be loaded: ${receipt.degraded!.map(words).join(", ")}`}
        </Status>
        {children}
      </div>
      <div class={`lines${loading ? " stale" : ""}`}>
        {rows.map((row) => (
          <Line key={row.id} row={row} />
        ))}
      </div>
      <LeftOut receipt={receipt} setBudget={setBudget} />
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
  const node = item.kind && !["statement", "preference", "note"].includes(item.kind);
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
            {node ? <NodeLink kind={item.kind!} id={item.key} /> : <Text text={item.key} />}
            {item.version ? `, version ${item.version}` : ""}
            {item.relationship_type && `, by ${item.relationship_type}`}
          </dd>
        </>
      )}
      {item.value !== undefined && (
        <>
          <dt>{words(item.by ?? "value")}</dt>
          <dd>
            {item.by !== "score" && <meter min={0} max={1} value={item.value ?? 0} aria-label={words(item.by ?? "value")} />} {number(item.value)}
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

/** The lines that were cut; setBudget is called with the budget at which a chosen one is in the text. */
function LeftOut({ receipt, setBudget }: { receipt: Receipt; setBudget: (tokens: number) => void }) {
  if (receipt.left_out.length === 0) return null;
  return (
    <section>
      <h2>Left out, in the order of cutting</h2>
      <ol class="left-out">
        {receipt.left_out.map((l) => (
          <li>
            <Text text={l.text.trim()} />{" "}
            <button type="button" onClick={() => setBudget(l.back_at)}>
              back at {number(l.back_at)}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
