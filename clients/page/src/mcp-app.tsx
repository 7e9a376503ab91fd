// The context of a user as an MCP App: clients that show apps draw it beside the answer of get_context.
import { App } from "@modelcontextprotocol/ext-apps";
import { signal } from "@preact/signals";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { embedded, ProblemNote, Status } from "./parts/common";
import { Problem } from "./api";
import { Account, Budget, type Receipt } from "./parts/receipt";
import { useLoad } from "./parts/load";

/** What get_context was called with; null until the client says it. */
const given = signal<Record<string, unknown> | null>(null);
const budget = signal(0); // 0: that of the call

const app = new App({ name: "kith-context", version: "1" }, {});
app.addEventListener("toolinput", ({ arguments: input }) => {
  given.value = input ?? {};
  budget.value = 0;
});

/** Asks for the context of the call with an account of its text. */
async function load(): Promise<Receipt> {
  const result = await app.callServerTool({ name: "get_context", arguments: { ...given.value, ...(budget.value ? { max_tokens: budget.value } : {}), explain: true } });
  const said = result.content.map((c) => (c.type === "text" ? c.text : "")).join("\n");
  if (result.isError) throw new Problem(-1, said);
  return (result.structuredContent as { receipt: Receipt }).receipt;
}

function Context() {
  const answer = useLoad(load, [given.value, budget.value], 150);
  const receipt = answer.data;
  return (
    <main>
      <h1>Context</h1>
      {answer.problem && <ProblemNote problem={answer.problem} retry={answer.reload} />}
      {!receipt && answer.loading && <Status>Loading…</Status>}
      {receipt && (
        <>
          <form class="controls" onSubmit={(e) => e.preventDefault()}>
            <Budget receipt={receipt} of={JSON.stringify(given.value)} asked={receipt.max_tokens ?? 0} set={(tokens) => (budget.value = tokens ?? most)} />
          </form>
          <Account receipt={receipt} loading={answer.loading} setBudget={(tokens) => (budget.value = tokens)} />
        </>
      )}
    </main>
  );
}

const most = 100_000; // the largest max_tokens of the tool: without one, the tool has a budget of its own

function Page() {
  useEffect(() => {
    void app.connect();
  }, []);
  return given.value ? <Context /> : <Status>Loading…</Status>;
}

embedded.value = true;
render(<Page />, document.getElementById("app")!);
