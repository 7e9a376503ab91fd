// The team: what this key may do, how much is stored, keys, and erasure of users.
import { useState } from "preact/hooks";
import { get, may, me, patch, post, Problem, remove, type Schemas } from "../api";
import { Confirm, Copy, Field, More, number, ProblemNote, Status, Text, Time } from "../parts/common";
import { useLoad, usePages } from "../parts/load";

export function Team() {
  const own = useLoad((signal) => get<Schemas["Me"]>("/v1/me", {}, signal), []);
  return (
    <>
      <h1>Team</h1>
      {own.problem && <ProblemNote problem={own.problem} retry={own.reload} />}
      {own.data && <Own of={own.data} />}
      {may("admin") ? (
        <>
          <Keys />
          <LeastTrust />
          <Erase />
        </>
      ) : (
        <p class="hint">Keys, the least trust and erasure need a key with the scope admin.</p>
      )}
    </>
  );
}

function Own({ of }: { of: Schemas["Me"] }) {
  const quota = Object.entries(of.quota) as [string, Schemas["QuotaShare"]][];
  return (
    <section>
      <h2>This key</h2>
      <dl class="detail">
        <dt>team</dt>
        <dd>
          <Text text={of.team_id} />
        </dd>
        <dt>key</dt>
        <dd>
          <Text text={of.key_id} />
        </dd>
        <dt>user</dt>
        <dd>{of.user_id ? <Text text={of.user_id} /> : "every user of the team"}</dd>
        <dt>scopes</dt>
        <dd>{of.scopes.join(", ")}</dd>
        <dt>rate limit</dt>
        <dd>{of.rate_limit ? `${number(of.rate_limit.remaining)} of ${number(of.rate_limit.limit)} units are left in this minute` : "none"}</dd>
        {quota.map(([name, share]) => (
          <>
            <dt>{name}</dt>
            <dd>
              {share.limit ? (
                <>
                  <meter min={0} max={share.limit} value={share.used ?? 0} aria-label={`${name} used`} /> {number(share.used)} of {number(share.limit)}
                </>
              ) : (
                "no quota"
              )}
            </dd>
          </>
        ))}
      </dl>
    </section>
  );
}

function Keys() {
  const list = useLoad((signal) => get<Schemas["KeyList"]>("/v1/keys", {}, signal), []);
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<Schemas["CreatedKey"] | null>(null);
  const [revoked, setRevoked] = useState<string | null>(null);
  const make = async () => {
    const form = new FormData(document.querySelector<HTMLFormElement>("dialog[open] form")!);
    const days = Number(form.get("days"));
    setMade(
      await post<Schemas["CreatedKey"]>("/v1/keys", {
        user_id: String(form.get("user")).trim() || null,
        scopes: form.getAll("scope"),
        expires_at: days > 0 ? new Date(Date.now() + days * 86_400_000).toISOString() : null,
      }),
    );
    list.reload();
  };
  const live = (list.data?.keys ?? []).filter((k) => !k.revoked_at);
  return (
    <section>
      <h2>Keys</h2>
      {list.problem && <ProblemNote problem={list.problem} retry={list.reload} />}
      {made && (
        <p class="made" role="status">
          The new key, shown once: <code>{made.key}</code> <Copy text={made.key}>Copy</Copy>
        </p>
      )}
      <p>
        <button type="button" onClick={() => setMaking(true)}>
          Make a key
        </button>
      </p>
      {live.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Keys">
          <table>
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">User</th>
                <th scope="col">Scopes</th>
                <th scope="col">Last use</th>
                <th scope="col">Ends</th>
                <th scope="col">Revoke</th>
              </tr>
            </thead>
            <tbody>
              {live.map((k) => (
                <tr key={k.key_id}>
                  <td>
                    <code>{k.key_id}</code>
                    {k.key_id === me.value?.key_id && " (this one)"}
                  </td>
                  <td>{k.user_id ? <Text text={k.user_id} /> : "every"}</td>
                  <td>{k.scopes.join(", ")}</td>
                  <td>
                    <Time at={k.last_used_at} />
                  </td>
                  <td>
                    <Time at={k.expires_at} />
                  </td>
                  <td>
                    <button type="button" onClick={() => setRevoked(k.key_id)} aria-label={`Revoke ${k.key_id}`}>
                      Revoke
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {making && (
        <Confirm title="Make" act={make} close={() => setMaking(false)}>
          <Field label="User (empty: every user of the team)">
            <input name="user" autocomplete="off" />
          </Field>
          <fieldset>
            <legend>Scopes</legend>
            {["read", "write", "admin"].map((scope) => (
              <label class="check">
                <input type="checkbox" name="scope" value={scope} defaultChecked={scope === "read"} /> {scope}
              </label>
            ))}
          </fieldset>
          <Field label="Days until it ends (0: never)">
            <input name="days" type="text" inputMode="numeric" defaultValue="30" />
          </Field>
        </Confirm>
      )}
      {revoked && (
        <Confirm title="Revoke" act={() => remove(`/v1/keys/${encodeURIComponent(revoked)}`).then(list.reload)} close={() => setRevoked(null)}>
          <p>
            The key <code>{revoked}</code> is refused from now on. That cannot be undone.
          </p>
        </Confirm>
      )}
    </section>
  );
}

/** The trust below which writes wait for a decision. */
function LeastTrust() {
  const path = `/v1/teams/${encodeURIComponent(me.value!.team_id)}/trust`;
  const least = useLoad((signal) => get<Schemas["TeamTrust"]>(path, {}, signal), []);
  const [said, setSaid] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const min_trust = Number(new FormData(event.currentTarget as HTMLFormElement).get("min_trust"));
    setSaid("");
    setProblem(null);
    patch<Schemas["TeamTrust"]>(path, { min_trust }).then(() => setSaid("Saved"), setProblem);
  };
  return (
    <section>
      <h2>Trust</h2>
      <p>
        Writes with less trust wait for a decision{me.value!.user_id ? "." : ", on the screen Care of their user."} Mails that read like instructions have 0.1.
      </p>
      {least.problem && <ProblemNote problem={least.problem} retry={least.reload} />}
      {least.data && (
        <form class="bar" onSubmit={save}>
          <Field label="Least trust (0 to 1; 0: no write waits)">
            <input name="min_trust" type="text" inputMode="decimal" pattern="0|1|0?[.][0-9]+" required defaultValue={String(least.data.min_trust)} />
          </Field>
          <button type="submit">Save</button>
          <span role="status">{said}</span>
        </form>
      )}
      {problem && <ProblemNote problem={problem} />}
    </section>
  );
}

/** Users of the team, each of whom can be erased. */
function Erase() {
  const list = usePages((cursor, signal) => get<Schemas["UserPage"]>("/v1/users", { cursor, limit: 100 }, signal), (page) => page.users, []);
  const [chosen, setChosen] = useState<string | null>(null);
  const [receipt, setReceipt] = useState<Schemas["UserErasure"] | null>(null);
  const erase = async (id: string) => {
    setReceipt(await remove<Schemas["UserErasure"]>(`/v1/users/${encodeURIComponent(id)}`));
    list.reload();
  };
  return (
    <section>
      <h2>Erase a user</h2>
      <p>All that is private to the user is deleted at once and for ever, and the user's authorship of what others keep.</p>
      {receipt && <Receipt of={receipt} />}
      {list.problem instanceof Problem && <ProblemNote problem={list.problem} retry={list.reload} />}
      <ul class="plain">
        {list.rows.map((u) => (
          <li key={u.user_id}>
            <Text text={u.user_id} />, {number(u.nodes)} nodes{" "}
            <button type="button" onClick={() => setChosen(u.user_id)} aria-label={`Erase ${u.user_id}`}>
              Erase
            </button>
          </li>
        ))}
      </ul>
      {list.loading && <Status>Loading…</Status>}
      <More more={list.more} loading={list.loading} />
      {chosen !== null && (
        <Confirm title="Erase" name={chosen} act={() => erase(chosen)} close={() => setChosen(null)}>
          <p>
            All that Kith has of <Text text={chosen} /> is erased. This cannot be undone.
          </p>
        </Confirm>
      )}
    </section>
  );
}

function Receipt({ of }: { of: Schemas["UserErasure"] }) {
  const text = JSON.stringify(of, null, 2);
  return (
    <div class="made" role="status">
      <p>
        <Text text={of.user_id} /> is erased: {number(of.nodes)} nodes, {number(of.relationships)} relationships, {number(of.messages)} messages.{" "}
        <a download={`erasure-${of.user_id}.json`} href={`data:application/json,${encodeURIComponent(text)}`}>
          Download the receipt
        </a>
      </p>
    </div>
  );
}
