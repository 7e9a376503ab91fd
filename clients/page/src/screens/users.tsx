// The users of the team: whose memory to look at.
import { get, type Schemas } from "../api";
import { More, number, ProblemNote, Status, Text, Time, Field } from "../parts/common";
import { usePages } from "../parts/load";
import { go, link } from "../route";

export function Users() {
  const list = usePages((cursor, signal) => get<Schemas["UserPage"]>("/v1/users", { cursor, limit: 100 }, signal), (page) => page.users, []);
  const open = (event: SubmitEvent) => {
    event.preventDefault();
    const id = String(new FormData(event.currentTarget as HTMLFormElement).get("user")).trim();
    if (id) go(link("context", { user: id }));
  };
  return (
    <>
      <h1>Users</h1>
      <form class="row" onSubmit={open}>
        <Field label="User id">
          <input name="user" required />
        </Field>
        <button type="submit">Open</button>
      </form>
      {list.problem && <ProblemNote problem={list.problem} retry={list.reload} />}
      {!list.problem && !list.loading && list.rows.length === 0 && <Status>This team has no users yet. The first write of a user makes one.</Status>}
      {list.rows.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Users">
          <table>
            <thead>
              <tr>
                <th scope="col">User</th>
                <th scope="col">Last activity</th>
                <th scope="col" class="number">
                  Nodes
                </th>
                <th scope="col" class="number">
                  Conversations
                </th>
                <th scope="col" class="number">
                  Messages
                </th>
              </tr>
            </thead>
            <tbody>
              {list.rows.map((u) => (
                <tr key={u.user_id}>
                  <th scope="row">
                    <a href={link("context", { user: u.user_id })}>
                      <Text text={u.user_id} />
                    </a>
                  </th>
                  <td>
                    <Time at={u.last_activity_at} />
                  </td>
                  <td class="number">{number(u.nodes)}</td>
                  <td class="number">{number(u.conversations)}</td>
                  <td class="number">{number(u.messages)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {list.loading && <Status>Loading…</Status>}
      <More more={list.more} loading={list.loading} />
    </>
  );
}
