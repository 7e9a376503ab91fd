import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, type ModelMessage, stepCountIs, streamText, wrapLanguageModel } from "ai";
import fc from "fast-check";
import { Kith } from "@kith/client";
import { kithMiddleware, kithTools } from "@kith/client/ai-sdk";
import { type Act, scriptedModel } from "./model.js";
import { freshUser } from "./server.js";

const memory = new Kith();

const words = fc.constantFrom("yes", "no", "Ünï\u{1F600}", "a\nb", "go on");
const turn = fc.record({
  question: words,
  answer: words,
  aside: fc.option(words), // said before a tool is called
  looksUp: fc.boolean(),
  streams: fc.boolean(),
  again: fc.boolean(), // the user wants another answer
  forgetsStart: fc.boolean(), // the program sends only the last two messages of what was said
  newModel: fc.boolean(), // as in a server that builds it for each request
});
// A program sends all that was said, or a part of it, and then gives its messages ids: otherwise the same words of two turns
// may look like one prompt that is sent again (docs/ai-sdk.md).
const talk = fc.record({ sendsAll: fc.boolean(), turns: fc.array(turn, { minLength: 1, maxLength: 5 }) });

// Whatever a program sends again, its conversation has exactly what was said, in order.
test("a conversation has each message once", async () => {
  await fc.assert(
    fc.asyncProperty(talk, async ({ sendsAll, turns }) => {
      const user = freshUser();
      const options = { user, conversation: `${user}-talk`, timeout: 30_000, warn: (text: string) => assert.fail(text) };
      const acts: Act[] = [];
      const mock = scriptedModel(...acts);
      const wrap = () => wrapLanguageModel({ model: mock, middleware: kithMiddleware(memory, options) });
      let model = wrap();
      let history: ModelMessage[] = [];
      const said: string[] = [];
      for (const t of turns) {
        if (t.newModel) model = wrap();
        if (t.forgetsStart && !sendsAll) history = history.slice(-2).filter((message) => message.role !== "tool");
        history.push({ role: "user", content: t.question, ...(sendsAll ? {} : { providerOptions: { kith: { id: `m-${said.length}` } } }) });
        said.push(`user: ${t.question}`);
        for (let n = 0; n <= (t.again ? 1 : 0); n++) {
          const script: Act[] = [];
          if (t.looksUp) script.push({ ...(t.aside === null ? {} : { says: t.aside }), calls: { tool: "explore", input: { query: "x" } } });
          script.push({ says: t.answer });
          const fresh = scriptedModel(...script);
          mock.doGenerate = fresh.doGenerate;
          mock.doStream = fresh.doStream;
          const call = { model, messages: history, tools: kithTools(memory, options), stopWhen: stepCountIs(3) };
          const response = t.streams ? await streamText(call).response : (await generateText(call)).response;
          for (const act of script) if (act.says !== undefined) said.push(`assistant: ${act.says}`);
          if (n === (t.again ? 1 : 0)) history = [...history, ...response.messages];
        }
      }
      const { data } = await memory.api.GET("/v1/conversations/{id}", { params: { path: { id: options.conversation }, query: { user_id: user } } });
      assert.deepEqual(data?.messages.map((message) => `${message.role}: ${message.text}`), said);
    }),
    { numRuns: Number(process.env["TALKS"] ?? 12) },
  );
});
