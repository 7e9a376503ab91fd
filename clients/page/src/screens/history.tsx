// The versions of a node: what each changed, and how to make one the current one again.
import { useState } from "preact/hooks";
import { get, may, post, type Schemas } from "../api";
import { Confirm, Field, NodeLink, Pages, Text, Time, user, words } from "../parts/common";
import { usePages } from "../parts/load";
import { change, route } from "../route";

type Version = Schemas["Version"];

const today = () => new Date().toISOString().slice(0, 10);

/** The end of the day at which the screen shows a node; undefined: now. */
export function asOf(): string | undefined {
  const day = route.value.query.get("as_of");
  return day && day !== today() ? `${day}T23:59:59Z` : undefined;
}

export function AsOf() {
  return (
    <Field label="As of">
      <input type="date" max={today()} value={route.value.query.get("as_of") ?? ""} onChange={(e) => change({ as_of: e.currentTarget.value })} />
    </Field>
  );
}

export function History({ path, version, changed }: { path: string; version: number; changed: () => void }) {
  const [chosen, setChosen] = useState<Version | null>(null);
  const list = usePages(
    (cursor, signal) => get<Schemas["VersionPage"]>(`${path}/history`, { user_id: user(), cursor, limit: 20 }, signal),
    (page) => page.versions,
    [path, version],
  );
  const restore = async () => {
    await post(`${path}/restore`, undefined, { user_id: user(), version: chosen!.version });
    changed();
  };
  return (
    <section>
      <h2>History</h2>
      <Pages list={list} none="No version is kept.">
        <ul class="history">
          {list.rows.map((v) => (
            <li key={v.version}>
              <p>
                <strong>Version {v.version}</strong> <Time at={v.from} />
                <Writer version={v} />
                {v.version === version && " · stored now"}
                {v.deleted && " · deleted"}
              </p>
              <Changes version={v} />
              {may("write") && v.version !== version && (
                <button type="button" aria-label={`Restore this version: ${v.version}`} onClick={() => setChosen(v)}>
                  Restore this version
                </button>
              )}
            </li>
          ))}
        </ul>
      </Pages>
      {chosen && (
        <Confirm title="Restore" act={restore} close={() => setChosen(null)}>
          <p>The content of version {chosen.version} becomes a new version. Salience, uses and notes stay, and this can be undone in the same way.</p>
        </Confirm>
      )}
    </section>
  );
}

function Writer({ version: v }: { version: Version }) {
  return (
    <>
      {v.through && (
        <>
          {" "}
          through <Text text={v.through} />
        </>
      )}
      {v.by && (
        <>
          {" "}
          by <Text text={v.by === "token" ? "a caller with a token" : `key ${v.by}`} />
        </>
      )}
      {v.source && (
        <>
          , derived from <NodeLink kind="source" id={v.source} />
        </>
      )}
    </>
  );
}

function Changes({ version: v }: { version: Version }) {
  if (v.changes.length === 0) return null;
  return (
    <dl class="detail">
      {v.changes.map((c) => (
        <>
          <dt>{words(c.field)}</dt>
          <dd>
            <del>
              <Value of={c.was} />
            </del>{" "}
            → <Value of={c.is} />
          </dd>
        </>
      ))}
    </dl>
  );
}

function Value({ of }: { of: unknown }) {
  if (of === undefined || of === null || of === "") return <span class="hint">nothing</span>;
  return <Text text={typeof of === "string" ? of : JSON.stringify(of)} />;
}
