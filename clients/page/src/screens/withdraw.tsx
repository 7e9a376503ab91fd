// Withdraws a source that was found to be bad, with what rests on it alone, and undoes that.
import { useState } from "preact/hooks";
import { may, post, type Problem, type Schemas } from "../api";
import { Confirm, number, ProblemNote, Status, Text, Time } from "../parts/common";
import { useLoad } from "../parts/load";

type Withdrawal = Schemas["Withdrawal"];

/** A source, and whose it is: a shared one is withdrawn for all users. */
export interface Withdrawable {
  entity_key: string;
  user_id: string | null;
}

const send = (source: Withdrawable, how: { dry_run?: true; undo?: true }, signal?: AbortSignal) =>
  post<Withdrawal>(`/v1/sources/${encodeURIComponent(source.entity_key)}/withdraw`, { user_id: source.user_id ?? undefined, ...how }, {}, signal);

/** Undoes the withdrawal of a source. */
export const undoWithdrawal = (source: Withdrawable) => send(source, { undo: true });

export function Withdraw({ source, withdrawn }: { source: Withdrawable; withdrawn: (w: Withdrawal) => void }) {
  const [open, setOpen] = useState(false);
  if (!may("write")) return null;
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Withdraw
      </button>
      {open && (
        <Confirm title="Withdraw" act={async () => withdrawn(await send(source, {}))} close={() => setOpen(false)}>
          <p>The source was found to be bad: it is deleted, and what rests on it alone. What rests on others too is believed as far as they are. It can be undone for a while.</p>
          <Preview source={source} />
        </Confirm>
      )}
    </>
  );
}

function Preview({ source }: { source: Withdrawable }) {
  const report = useLoad((signal) => send(source, { dry_run: true }, signal), [source.entity_key]);
  return (
    <>
      {report.problem && <ProblemNote problem={report.problem} retry={report.reload} />}
      {report.loading && <Status>Loading…</Status>}
      {report.data && <Report of={report.data} goes="goes" />}
    </>
  );
}

/** What goes with a source, in words. */
function Report({ of: w, goes }: { of: Withdrawal; goes: string }) {
  return (
    <div role="status">
      <p>
        With it {goes}: {count(w.messages, "message")}, {count(w.nodes, "node")} and {count(w.relationships, "relationship")}.{" "}
        {w.lowered_nodes + w.lowered_relationships > 0 && `Of ${count(w.lowered_nodes, "node")} and ${count(w.lowered_relationships, "relationship")} the trust becomes less.`}
      </p>
      {w.names.length > 0 && (
        <ul>
          {w.names.map((name) => (
            <li>
              <Text text={name} />
            </li>
          ))}
          {w.nodes > w.names.length && <li>and {number(w.nodes - w.names.length)} more</li>}
        </ul>
      )}
    </div>
  );
}

const count = (n: number, noun: string) => `${number(n)} ${noun}${n === 1 ? "" : "s"}`;

/** Stands for a source that has just been withdrawn. */
export function Withdrawn({ source, withdrawal, restored }: { source: Withdrawable; withdrawal: Withdrawal; restored: () => void }) {
  const [kept, setKept] = useState(0);
  const [problem, setProblem] = useState<Problem | null>(null);
  const undo = () => undoWithdrawal(source).then((w) => (w.kept ? setKept(w.kept) : restored()), setProblem);
  return (
    <>
      <h1>Withdrawn</h1>
      <p>
        <Text text={withdrawal.source} /> is deleted. That can be undone until <Time at={withdrawal.restorable_until} />, also on the screen Care.
      </p>
      <Report of={withdrawal} goes="went" />
      {problem && <ProblemNote problem={problem} />}
      {kept > 0 ? (
        <p role="status">
          The source is back, without {number(kept)} of what went with it: their names are in use again, or they were purged.{" "}
          <button type="button" onClick={restored}>
            Show the source
          </button>
        </p>
      ) : (
        <button type="button" onClick={undo}>
          Undo
        </button>
      )}
    </>
  );
}
