// The user's conversations, the newest first, and what was said in them.
import { useState } from "preact/hooks";
import { get, type Schemas } from "../api";
import { More, NodeLink, number, ProblemNote, Status, Text, Time, user, words } from "../parts/common";
import { usePages } from "../parts/load";
import { link } from "../route";

export function Timeline() {
  const list = usePages(
    (cursor, signal) => get<Schemas["ConversationList"]>("/v1/conversations", { user_id: user(), cursor, limit: 50 }, signal),
    (page) => page.conversations,
    [],
  );
  let day = "";
  return (
    <>
      <h1>Timeline</h1>
      <p class="lead">The conversations of this user, the newest first.</p>
      {list.problem && <ProblemNote problem={list.problem} retry={list.reload} />}
      {!list.loading && list.rows.length === 0 && !list.problem && <Status>There are no conversations yet.</Status>}
      {list.rows.map((c) => {
        const before = day;
        day = c.started_at?.slice(0, 10) ?? "";
        return (
          <>
            {day !== before && (
              <h2 class="day">
                {day}{" "}
                <a href={link("context", { user: user(), as_of: day })}>context of that day</a>
              </h2>
            )}
            <Conversation key={c.entity_key} of={c} />
          </>
        );
      })}
      {list.loading && <Status>Loading…</Status>}
      <More more={list.more} loading={list.loading} />
    </>
  );
}

function Conversation({ of }: { of: Schemas["Source"] }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="hit" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>
        {of.started_at?.slice(11, 16)} {of.context_type && `${words(of.context_type)} · `}
        <Text text={of.summary || of.entity_key} /> <span class="hint">{number(of.message_count)} messages{!of.ended_at && ", open"}</span>
      </summary>
      <p>
        <NodeLink kind="source" id={of.entity_key} />
      </p>
      {open && <Messages of={of.entity_key} />}
    </details>
  );
}

const pageSize = 100;

function Messages({ of }: { of: string }) {
  const list = usePages(
    async (cursor, signal) => {
      const page = await get<Schemas["ConversationPage"]>(`/v1/conversations/${encodeURIComponent(of)}`, { user_id: user(), from: cursor, limit: pageSize }, signal);
      return { messages: page.messages, next: page.next === null || page.next === undefined ? null : String(page.next) };
    },
    (page) => page.messages,
    [of],
  );
  return (
    <>
      {list.problem && <ProblemNote problem={list.problem} retry={list.reload} />}
      {list.rows.map((m) => (
        <blockquote key={m.entity_key}>
          <Text text={m.text} />
          <footer>
            <Text text={m.name || m.role || ""} /> <Time at={m.at} />
          </footer>
        </blockquote>
      ))}
      {list.loading && <Status>Loading…</Status>}
      <More more={list.more} loading={list.loading} />
    </>
  );
}
