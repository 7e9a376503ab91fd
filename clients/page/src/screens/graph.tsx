// The neighbourhood of a node, or the paths between two: drawn, and as a table with the same rows.
import { useEffect, useRef, useState } from "preact/hooks";
import { get, post, type Schemas } from "../api";
import { Field, NodeLink, number, ProblemNote, Status, Text, user } from "../parts/common";
import type { Dot, Line } from "../parts/drawing";
import { useLoad } from "../parts/load";
import { change, go, link, route } from "../route";

const most = 300; // nodes of a drawing

interface Picture {
  dots: Dot[];
  lines: (Line & { description: string; salience: number })[];
  more: boolean;
}

function dotOf(n: Schemas["TraverseNode"]): Dot {
  return { key: n.entity_key, name: n.name || n.entity_key, kind: (n.node_type ?? "").toLowerCase(), salience: n.salience ?? 0 };
}

function lineOf(r: Schemas["TraverseRelationship"]) {
  return { key: r.key ?? `${r.from} ${r.type} ${r.to}`, from: r.from, to: r.to, type: r.relationship_type || r.type, description: r.description ?? "", salience: r.salience ?? 0 };
}

async function load(kind: string, key: string, to: string, hops: number, signal: AbortSignal): Promise<Picture> {
  const dots = new Map<string, Dot>();
  const lines = new Map<string, Picture["lines"][number]>();
  if (to) {
    const found = await post<Schemas["TraversePaths"]>("/v1/traverse", { mode: "path", user_id: user(), from: key, to }, {}, signal);
    for (const way of found.paths) {
      for (const n of way.nodes) dots.set(n.entity_key, dotOf(n));
      for (const r of way.relationships) lines.set(lineOf(r).key, lineOf(r));
    }
    return { dots: [...dots.values()], lines: [...lines.values()], more: found.truncated ?? false };
  }
  const start = await get<Schemas["NodeView"]>(`/v1/nodes/${encodeURIComponent(kind)}/${encodeURIComponent(key)}`, { user_id: user(), relationships: 0 }, signal);
  dots.set(start.entity_key, { key: start.entity_key, name: start.name || start.title || start.entity_key, kind: start.kind, salience: start.salience });
  let cursor: string | undefined;
  do {
    const page: Schemas["TraverseRows"] = await post("/v1/traverse", { mode: "neighbors", user_id: user(), entity_key: start.entity_key, direction: "both", max_hops: hops, limit: 100, cursor }, {}, signal);
    for (const row of page.rows) {
      if (dots.size < most || dots.has(row.node.entity_key)) dots.set(row.node.entity_key, dotOf(row.node));
      if (row.relationship) lines.set(lineOf(row.relationship).key, lineOf(row.relationship));
    }
    cursor = page.next_cursor;
  } while (cursor && dots.size < most);
  return { dots: [...dots.values()], lines: [...lines.values()].filter((l) => dots.has(l.from) && dots.has(l.to)), more: Boolean(cursor) };
}

export function Graph() {
  const query = route.value.query;
  const kind = query.get("kind") ?? "";
  const key = query.get("key") ?? "";
  const to = query.get("to") ?? "";
  const hops = Number(query.get("hops")) || 1;
  const picture = useLoad((signal) => (key ? load(kind, key, to, hops, signal) : Promise.resolve(null)), [kind, key, to, hops]);
  return (
    <>
      <h1>Graph</h1>
      <p class="lead">What is linked with a node, or how two nodes are linked.</p>
      <div class="controls">
        <Choose label="Node" chosen={key} choose={(k, id) => change({ kind: k, key: id, to: undefined })} />
        {key && <Choose label="Path to" chosen={to} choose={(_, id) => change({ to: id })} clear={() => change({ to: undefined })} />}
        {key && !to && (
          <Field label="Hops">
            <select onChange={(e) => change({ hops: e.currentTarget.value })}>
              {[1, 2, 3].map((n) => (
                <option value={n} selected={n === hops}>
                  {n}
                </option>
              ))}
            </select>
          </Field>
        )}
      </div>
      {picture.problem && <ProblemNote problem={picture.problem} retry={picture.reload} />}
      {key && picture.loading && <Status>Loading…</Status>}
      {picture.data && <Shown picture={picture.data} start={key} path={Boolean(to)} />}
    </>
  );
}

/** Finds a node by name. */
function Choose({ label, chosen, choose, clear }: { label: string; chosen: string; choose: (kind: string, key: string) => void; clear?: () => void }) {
  const [typed, setTyped] = useState("");
  const found = useLoad(
    (signal) =>
      typed.trim()
        ? post<Schemas["ExploreResult"]>("/v1/explore", { user_id: user(), text_matches: [typed.trim()], kinds: ["person", "concept", "entity", "project", "task"], limit: 8, search_relationships: false }, {}, signal)
        : Promise.resolve(null),
    [typed],
    250,
  );
  const hits = found.data ? [...found.data.semantic.people, ...found.data.semantic.concepts, ...found.data.semantic.entities, ...(found.data.semantic.others ?? [])] : [];
  return (
    <div class="choose">
      <Field label={label}>
        <input type="search" value={typed} placeholder={chosen || "a name"} onInput={(e) => setTyped(e.currentTarget.value)} />
      </Field>
      {found.problem && <ProblemNote problem={found.problem} />}
      {typed && found.data && hits.length === 0 && <Status>Nothing has this name.</Status>}
      <ul class="plain">
        {hits.map((n) => (
          <li key={n.entity_key}>
            <button
              type="button"
              class="link"
              onClick={() => {
                setTyped("");
                choose(n.node_type.toLowerCase(), n.entity_key);
              }}
            >
              <Text text={n.name} />
            </button>{" "}
            <span class="hint">{n.node_type.toLowerCase()}</span>
          </li>
        ))}
      </ul>
      {clear && chosen && (
        <button type="button" onClick={clear}>
          No path
        </button>
      )}
    </div>
  );
}

function Shown({ picture, start, path }: { picture: Picture; start: string; path: boolean }) {
  const names = new Map(picture.dots.map((d) => [d.key, d]));
  const end = (key: string) => {
    const dot = names.get(key);
    return (
      <NodeLink kind={dot?.kind ?? ""} id={key}>
        <Text text={dot?.name ?? key} />
      </NodeLink>
    );
  };
  if (path && picture.lines.length === 0) return <Status>There is no path between these nodes.</Status>;
  return (
    <>
      <Status>
        {number(picture.dots.length)} nodes, {number(picture.lines.length)} relationships{picture.more && "; more were left out"}
      </Status>
      <div class="columns wide-first">
        <Drawing picture={picture} start={start} />
        <div class="scroll" tabIndex={0} role="region" aria-label="Relationships">
          <table>
            <thead>
              <tr>
                <th scope="col">From</th>
                <th scope="col">Type</th>
                <th scope="col">To</th>
                <th scope="col" class="number">
                  Salience
                </th>
              </tr>
            </thead>
            <tbody>
              {picture.lines.map((l) => (
                <tr key={l.key} title={l.description}>
                  <td>{end(l.from)}</td>
                  <td>
                    <Text text={l.type} />
                  </td>
                  <td>{end(l.to)}</td>
                  <td class="number">{number(l.salience)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </>
  );
}

function Drawing({ picture, start }: { picture: Picture; start: string }) {
  const element = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let remove: (() => void) | undefined;
    let gone = false;
    import("../parts/drawing").then(
      ({ draw }) => {
        if (gone || !element.current) return;
        try {
          remove = draw(element.current, start, picture.dots, picture.lines, (dot) => go(link("node", { user: user(), kind: dot.kind, key: dot.key })));
        } catch {
          setFailed(true); // without WebGL
        }
      },
      () => setFailed(true),
    );
    return () => {
      gone = true;
      remove?.();
    };
  }, [picture, start]);
  if (failed) return <p class="hint">This browser cannot draw the graph: it has no WebGL. The table has the same rows.</p>;
  return <div ref={element} class="drawing" role="img" aria-label="The graph; the table beside it has the same rows" />;
}
