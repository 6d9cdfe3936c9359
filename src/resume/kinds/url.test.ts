import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { attemptOnce, OUTCOME } from "../../../test/support/engines/attempt.ts";
import type { Waiting } from "../../../test/support/engines/engine.ts";
import { attemptUntilSettled, scripts } from "../../../test/support/engines/until-settled.ts";
import { startUrl, VENDORS, type UrlEngine } from "../../../test/support/engines/url.ts";
import type { Meaning, Outcome } from "../kind.ts";
import { url } from "./url.ts";

type Vendor = keyof typeof VENDORS;
const ALL = Object.keys(VENDORS) as Vendor[];

for (const vendor of ALL) {
  void test(`${vendor}: what waits at an address goes on once, with the outcome`, async (t) => {
    const engine = await startUrl(t, vendor);
    const waiting = await engine.wait();
    const { meaning, message } = await attemptOnce(t, url, engine, waiting);
    assert.equal(meaning, "done");
    assert.match(message, /^The receiver answered 20[012]\.$/);
    assert.deepEqual(waiting.received, [OUTCOME]);
  });

  void test(`${vendor}: a task that asks for the response only sends its value`, async (t) => {
    const engine = await startUrl(t, vendor);
    const waiting = await engine.wait();
    await attemptOnce(t, url, engine, waiting, { value: JSON.stringify(OUTCOME.response) });
    assert.deepEqual(waiting.received, [{ approved: true }]);
  });

  void test(`${vendor}: however often attempts are cut off or fail, what waits goes on once`, async (t) => {
    const engine = await startUrl(t, vendor);
    await fc.assert(
      fc.asyncProperty(scripts, async (script) => {
        const waiting = await engine.wait();
        engine.script.splice(0, Infinity, ...script);
        const last = (await attemptUntilSettled(t, url, engine, waiting)).at(-1);
        assert.ok(last === "done" || last === "done_already", last);
        assert.deepEqual(waiting.received, [OUTCOME]);
      }),
      { numRuns: 20 },
    );
  });
}

/** What is wrong with an address, in an engine of its vendor, and what the answer to it means. */
interface Case {
  vendor: Vendor;
  is: string;
  at: (engine: UrlEngine) => Promise<Waiting> | Waiting;
  outcome?: Outcome;
  status: number;
  means: Meaning;
}

/** Changes the last character of an address. */
async function mistyped(engine: UrlEngine): Promise<Waiting> {
  const waiting = await engine.wait();
  const address = waiting.entry["url"] as string;
  return { ...waiting, entry: { url: address.slice(0, -1) + (address.endsWith("0") ? "1" : "0") } };
}

const at = (state: Parameters<UrlEngine["wait"]>[0]) => (engine: UrlEngine) => engine.wait(state);
const resumed = async (engine: UrlEngine) => {
  const waiting = await engine.wait();
  await fetch(waiting.entry["url"] as string, { method: "POST", body: "{}" });
  waiting.received.length = 0;
  return waiting;
};
const unknown = (engine: UrlEngine) => engine.unknown();
const large: Outcome = { ...OUTCOME, response: { text: "x".repeat(3_145_728) } };

const CASES: readonly Case[] = [
  { vendor: "Trigger.dev", is: "resumed by someone else", at: resumed, status: 200, means: "done" },
  { vendor: "Trigger.dev", is: "unknown", at: unknown, status: 404, means: "gone" },
  { vendor: "Trigger.dev", is: "mistyped", at: mistyped, status: 401, means: "later" },
  { vendor: "Trigger.dev", is: "sent too much", at: at(undefined), outcome: large, status: 413, means: "gone" },
  { vendor: "Restate", is: "resumed by someone else", at: resumed, status: 202, means: "done" },
  { vendor: "Restate", is: "over", at: at("over"), status: 202, means: "done" },
  {
    vendor: "Restate",
    is: "no id",
    at: async (engine) => {
      const waiting = await engine.wait();
      return { ...waiting, entry: { url: (waiting.entry["url"] as string).replace("sign_1", "sign_2") } };
    },
    status: 400,
    means: "gone",
  },
  { vendor: "n8n", is: "unknown", at: unknown, status: 404, means: "gone" },
  { vendor: "n8n", is: "not reached yet", at: at("early"), status: 409, means: "later" },
  { vendor: "n8n", is: "that of another Wait node", at: at("elsewhere"), status: 404, means: "later" },
  { vendor: "n8n", is: "over", at: at("over"), status: 409, means: "gone" },
  { vendor: "n8n", is: "of an execution that failed", at: at("failed"), status: 409, means: "gone" },
  { vendor: "n8n", is: "protected", at: at("protected"), status: 403, means: "later" },
  { vendor: "Windmill", is: "resumed by someone else", at: resumed, status: 500, means: "done_already" },
  { vendor: "Windmill", is: "of a flow that has ended", at: at("over"), status: 500, means: "gone" },
  { vendor: "Windmill", is: "mistyped", at: mistyped, status: 500, means: "gone" },
  { vendor: "Windmill", is: "for people who sign in", at: at("protected"), status: 401, means: "later" },
  { vendor: "Vercel Workflow", is: "unknown", at: unknown, status: 404, means: "later" },
  { vendor: "Vercel Workflow", is: "not reached yet", at: at("early"), status: 404, means: "later" },
];

for (const { vendor, is, at: begin, outcome, status, means } of CASES)
  void test(`${vendor}: an address that is ${is} is answered ${status}, which means "${means}"`, async (t) => {
    const engine = await startUrl(t, vendor);
    const waiting = await begin(engine);
    const { meaning, answer } = await attemptOnce(t, url, engine, waiting, outcome && { outcome });
    assert.deepEqual([answer?.status, meaning], [status, means]);
    assert.deepEqual(waiting.received, []);
  });

void test("an answer says what it means by its status, if it says nothing else", async (t) => {
  const engine = await startUrl(t);
  const meanings: Record<Meaning, number[]> = {
    done: [200, 201, 202, 204],
    done_already: [409],
    gone: [400, 404, 405, 410, 411, 413, 414, 415, 422],
    later: [301, 401, 403, 408, 418, 429, 500, 502, 503, 504],
    refused: [],
  };
  for (const [meaning, statuses] of Object.entries(meanings))
    for (const status of statuses) {
      engine.script.push({ status });
      const found = await attemptOnce(t, url, engine, await engine.wait());
      assert.deepEqual([status, found.meaning], [status, meaning]);
    }
});

const GONE_ON = [
  { vendor: "n8n", state: "over", says: /^The execution of n8n has finished\. An earlier attempt was cut off/ },
  { vendor: "n8n", state: "elsewhere", says: /^The execution of n8n waits elsewhere\. An earlier attempt/ },
  { vendor: "Windmill", state: "over", says: /^The flow of Windmill has ended\. An earlier attempt/ },
  { vendor: "Vercel Workflow", state: "over", says: /^The receiver answered 404: nothing waits there\. An earlier/ },
] as const;

for (const { vendor, state, says } of GONE_ON)
  void test(`${vendor}: an attempt that was cut off has probably resumed what is ${state} now`, async (t) => {
    const engine = await startUrl(t, vendor);
    const { meaning, message } = await attemptOnce(t, url, engine, await engine.wait(state), { wasCutOff: true });
    assert.equal(meaning, "done_already");
    assert.match(message, says);
  });

void test("the words of an answer count only if it is an error", async (t) => {
  const engine = await startUrl(t, "n8n");
  engine.script.push({ status: 200, body: { message: "It is running already." } });
  assert.equal((await attemptOnce(t, url, engine, await engine.wait())).meaning, "done");
});

void test("no sentence about an answer repeats the address", async (t) => {
  for (const vendor of ALL) {
    const engine = await startUrl(t, vendor);
    for (const status of [200, 400, 401, 404, 409, 500]) {
      engine.script.push({ status });
      const waiting = await engine.wait();
      const { message } = await attemptOnce(t, url, engine, waiting);
      const { pathname } = new URL(waiting.entry["url"] as string);
      assert.ok(!message.includes(pathname), message);
    }
  }
});
