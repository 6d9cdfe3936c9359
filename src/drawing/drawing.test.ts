import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { EMBED_ENV, mint, newServiceKey } from "../../test/support/embed.ts";
import { newTaskBody, startTestService, testOnBoth, type TestService } from "../../test/support/service.ts";
import { createLink } from "../channels/email/links.ts";
import { HOUR, MINUTE } from "../lib/time.ts";
import type { CreateTaskBody } from "../tasks/schema.ts";
import { createDrawing, type PayloadToDraw } from "./drawing.ts";
import { createKept } from "./kept.ts";
import { createDrawingThread, type Question } from "./thread.ts";

const DANA = "dana@example.com";
const NOW = new Date("2026-01-31T12:00:00Z");
const LOOK = { time_zone: "UTC", now: NOW };
const AS_PLAIN_TEXT = /Formatting this takes too long, so texts are shown as plain text\./;

/** Parsing this as Markdown takes minutes. */
const SLOW = "a\n=\n".repeat(9_750);

function markdownFields(texts: readonly string[]): Pick<CreateTaskBody, "payload" | "payload_schema"> {
  const fields = texts.map((text, index) => [`text_${index}`, text] as const);
  return {
    payload: Object.fromEntries(fields),
    payload_schema: {
      type: "object",
      properties: Object.fromEntries(fields.map(([name]) => [name, { type: "string", format: "markdown" }])),
    },
  };
}

function linkTo({ ctx }: TestService, id: string): string {
  return new URL(createLink(ctx, id, DANA)).pathname;
}

async function embedToken(service: TestService, id: string): Promise<string> {
  const key = await newServiceKey(service);
  return (await mint(service, key.key, { task_id: id })).body.embed_token;
}

/** Counts how often the service has drawn a payload or a form. */
function countDrawings(t: { mock: { method: typeof test.mock.method } }, { ctx }: TestService) {
  return {
    payloads: t.mock.method(ctx.drawing, "payload").mock,
    forms: t.mock.method(ctx.drawing, "form").mock,
  };
}

testOnBoth(
  "while a text that takes minutes to format is opened, everybody else is answered, and then it is plain text",
  async (service) => {
    const slow = markdownFields(Array.from({ length: 10 }, () => SLOW));
    const { id } = await service.create({ ...slow, notify: [`email:${DANA}`] });
    const token = await embedToken(service, id);
    const answered: string[] = [];
    const note = <T>(name: string, answer: Promise<T>) => answer.finally(() => answered.push(name));
    const mail = note("mail page", service.call("GET", linkTo(service, id), { token: null }));
    const embed = note("embedded task", service.call<{ review_html: string }>("GET", "/api/embed/task", { token }));
    const asked = service.call<{ review_html: string }>("GET", `/api/tasks/${id}/review`);
    const review = note("review", asked);
    for (let i = 0; i < 20; i++) await note("other", service.call("GET", "/api/health", { token: null }));
    await note("other", service.create());
    const [page, frame, drawn] = await Promise.all([mail, embed, review]);
    assert.deepEqual(
      answered.slice(0, 21),
      Array.from({ length: 21 }, () => "other"),
    );
    for (const [status, html] of [
      [page.status, page.text],
      [frame.status, frame.body.review_html],
      [drawn.status, drawn.body.review_html],
    ] as const) {
      assert.equal(status, 200);
      assert.match(html, AS_PLAIN_TEXT);
      assert.match(html, /a\n=\na\n=\n/);
      assert.doesNotMatch(html, /payload-rendered/);
    }
    // The form on the same page works.
    assert.match(page.text, /name="\/approved"/);
  },
  { env: EMBED_ENV },
);

testOnBoth(
  "programs that only look at links cause no drawing",
  async (service, t) => {
    const { id } = await service.create({ ...markdownFields([SLOW]), notify: [`email:${DANA}`] });
    const token = await embedToken(service, id);
    const drawings = countDrawings(t, service);
    const path = linkTo(service, id);
    const looked = await service.call("HEAD", path, { token: null });
    assert.deepEqual([looked.status, looked.text, looked.headers["content-length"]], [200, "", undefined]);
    assert.match(looked.headers["content-type"] ?? "", /^text\/html/);
    assert.equal(looked.headers["cache-control"], "no-store");
    assert.equal((await service.call("HEAD", "/api/embed/task", { token })).status, 200);
    assert.equal((await service.call("HEAD", `/api/tasks/${id}/review`)).status, 200);
    const other = `${path.slice(0, -1)}${path.endsWith("A") ? "B" : "A"}`;
    assert.equal((await service.call("HEAD", other, { token: null })).status, 404);
    await service.call("POST", `/api/tasks/${id}/cancel`);
    assert.equal((await service.call("HEAD", path, { token: null })).status, 409);
    assert.deepEqual([drawings.payloads.callCount(), drawings.forms.callCount()], [0, 0]);
  },
  { env: EMBED_ENV },
);

testOnBoth("a link whose answer was given shows it, and HEAD says so without drawing it", async (service, t) => {
  const { id } = await service.create({ notify: [`email:${DANA}`] });
  const path = linkTo(service, id);
  const { text } = await service.call("GET", path, { token: null });
  const hidden = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const posted = await service.call("POST", path, {
    token: null,
    raw: new URLSearchParams([
      ...hidden.map(([, name = "", value = ""]): [string, string] => [name, value]),
      ["/approved", "true"],
      ["/note", "Fine."],
    ]).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
  });
  assert.match(posted.text, /Answer sent.*Fine\./s);
  const drawings = countDrawings(t, service);
  assert.equal((await service.call("HEAD", path, { token: null })).status, 410);
  assert.equal(drawings.payloads.callCount(), 0);
  assert.match((await service.call("GET", path, { token: null })).text, /Fine\./);
});

// --- Drawn once ------------------------------------------------------------------------------------------------------

function payloadOf(payload: unknown, id = "tsk_1"): PayloadToDraw {
  return { id, payload: JSON.stringify(payload), payload_schema: null, form_definition: null, redact_payload: false };
}

const markdown = (text: string, id = "tsk_1"): PayloadToDraw => ({
  ...payloadOf({ text }, id),
  payload_schema: JSON.stringify({ properties: { text: { format: "markdown" } } }),
});

/** Returns a drawing whose log can be read. */
function newDrawing(
  t: { after: (fn: () => Promise<void>) => void },
  options: Parameters<typeof createDrawing>[0] | object = {},
) {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) });
  const drawing = createDrawing({ ...options, log });
  t.after(drawing.close);
  return { drawing, lines, warned: () => lines.filter((line) => /not drawn in time/.test(line)).length };
}

void test("a payload is drawn once for each zone and locale", async (t) => {
  const { drawing } = newDrawing(t);
  const berlin = { time_zone: "Europe/Berlin", locale: "de-DE", now: NOW };
  const task = payloadOf({ at: 1234.5 });
  const first = await drawing.payload(task, berlin);
  // A kept drawing is shown even if the task can no longer be parsed.
  const unreadable = { ...task, payload: "{" };
  assert.equal(await drawing.payload(unreadable, berlin), first);
  const other = await drawing.payload(task, { ...berlin, locale: "en-GB" });
  assert.match(first, />1234,5</);
  assert.match(other, />1234\.5</);
  const zoned = payloadOf({ at: "2026-01-31T10:00:00Z" }, "tsk_2");
  assert.match(await drawing.payload(zoned, berlin), /11:00/);
  assert.match(await drawing.payload(zoned, { ...berlin, time_zone: "Asia/Tokyo" }), /19:00/);
});

void test("what says how long ago something was is drawn again after a minute, and the rest is not", async (t) => {
  const { drawing } = newDrawing(t);
  const at = (ms: number) => ({ time_zone: "UTC", now: new Date(NOW.getTime() + ms) });
  const dated = payloadOf({ at: "2026-01-31T11:30:00Z" });
  assert.match(await drawing.payload(dated, at(0)), /30 minutes ago/);
  assert.match(await drawing.payload(dated, at(MINUTE)), /31 minutes ago/);
  const plain = payloadOf({ at: "noon" }, "tsk_2");
  const drawn = await drawing.payload(plain, at(0));
  assert.equal(await drawing.payload({ ...plain, payload: "{" }, at(HOUR - 1)), drawn);
});

void test("those who open a task at the same moment share one drawing", async (t) => {
  const { drawing, warned } = newDrawing(t, { limitsMs: { payload: 30, form: 1_000 } });
  const pages = await Promise.all(Array.from({ length: 30 }, () => drawing.payload(markdown(SLOW), LOOK)));
  assert.equal(new Set(pages).size, 1);
  assert.equal(warned(), 1);
});

void test("a text that was too slow once is not tried again for ten minutes", async (t) => {
  const { drawing, warned } = newDrawing(t, { limitsMs: { payload: 30, form: 1_000 } });
  const open = async (time_zone: string, ms = 0) =>
    assert.match(
      await drawing.payload(markdown(SLOW), { time_zone, now: new Date(NOW.getTime() + ms) }),
      AS_PLAIN_TEXT,
    );
  for (const zone of ["UTC", "Europe/Berlin", "Asia/Tokyo"]) await open(zone);
  assert.equal(warned(), 1);
  await open("UTC", 10 * MINUTE);
  assert.equal(warned(), 2);
});

void test("after a text that was too slow, others are formatted as ever", async (t) => {
  const { drawing } = newDrawing(t);
  const [slow, other] = await Promise.all([
    drawing.payload(markdown(SLOW), LOOK),
    drawing.payload(markdown("**bold**", "tsk_2"), LOOK),
  ]);
  assert.match(slow, AS_PLAIN_TEXT);
  assert.match(other, /<strong>bold<\/strong>/);
});

void test("a payload that cannot be drawn in any way is shown as JSON, bounded and without what could lie", async (t) => {
  const { drawing, lines } = newDrawing(t);
  const payload = { html: "</pre><script>alert(1)</script>", turned: "a\u202Eb", long: "x".repeat(900_000) };
  // The schema of a task is always JSON. Here invalid JSON makes the drawing fail.
  const html = await drawing.payload({ ...payloadOf(payload), payload_schema: "{" }, LOOK);
  assert.match(html, /cannot be formatted right now, so it is shown as plain text.*&lt;script>|&lt;script&gt;/s);
  assert.match(html, /This is only the beginning of the payload\./);
  assert.doesNotMatch(html, /<script|\u202E/);
  assert.ok(html.length < 25_000);
  assert.match(lines.join("\n"), /Drawing a payload failed/);
});

void test("a drawing that ends the thread is shown as plain text, and the next drawing has another thread", async (t) => {
  const { drawing, lines } = newDrawing(t, { heapMb: 32, limitsMs: { payload: 10_000, form: 10_000 } });
  const table = `| a | b |\n| - | - |\n${"| x | y |\n".repeat(3_900)}`;
  assert.match(await drawing.payload(markdown(table), LOOK), AS_PLAIN_TEXT);
  assert.match(lines.join("\n"), /memory/);
  assert.match(await drawing.payload(payloadOf({ a: 1 }, "tsk_2"), LOOK), /payload-rows/);
});

// --- The thread --------------------------------------------------------------------------------------------------------

const question = (text: string): Question => ({
  draws: "payload",
  payload: JSON.stringify({ text }),
  payload_schema: JSON.stringify({ properties: { text: { format: "markdown" } } }),
  form_definition: null,
  redact: false,
  locale: undefined,
  time_zone: "UTC",
  now: NOW.getTime(),
  isPlain: false,
  wholeAt: undefined,
});

void test("tasks take turns, and one task has eight drawings that wait at most", async (t) => {
  const thread = createDrawingThread();
  t.after(thread.close);
  const order: string[] = [];
  const draw = async (task: string) => {
    const outcome = await thread.draw(task, question("text"));
    order.push("failed" in outcome ? `${task} ${outcome.failed}` : task);
  };
  await Promise.all([...Array.from({ length: 12 }, () => draw("greedy")), draw("modest"), draw("other")]);
  // One drawing is in progress, and eight wait.
  assert.deepEqual(order.slice(0, 3), ["greedy busy", "greedy busy", "greedy busy"]);
  assert.deepEqual(order.slice(3, 7), ["greedy", "greedy", "modest", "other"]);
  assert.equal(order.length, 14);
});

void test("of many drawings at once, those beyond 64 are told that the service is busy", async (t) => {
  const thread = createDrawingThread();
  t.after(thread.close);
  const outcomes = await Promise.all(Array.from({ length: 100 }, (_, i) => thread.draw(`tsk_${i}`, question("text"))));
  const busy = outcomes.filter((outcome) => "failed" in outcome && outcome.failed === "busy");
  assert.equal(busy.length, 35);
});

void test("a drawing that is under way does not hold up the end of the service", async () => {
  const thread = createDrawingThread();
  const drawings = [thread.draw("a", question(SLOW)), thread.draw("b", question("text"))];
  await thread.close();
  assert.deepEqual(await Promise.all(drawings), [{ failed: "busy" }, { failed: "busy" }]);
  assert.deepEqual(await thread.draw("c", question("text")), { failed: "busy" });
});

void test("a form that is not drawn in time asks to come again", async (t) => {
  const { service, stop } = await startTestService("sqlite", { drawing: { limitsMs: { payload: 300, form: 0 } } });
  t.after(stop);
  const properties = Object.fromEntries(Array.from({ length: 4_900 }, (_, i) => [`f${i}`, { type: "string" }]));
  const { id } = await service.create({
    ...newTaskBody({ response_schema: { type: "object", properties } }),
    notify: [`email:${DANA}`],
  });
  const page = await service.call("GET", linkTo(service, id), { token: null });
  assert.equal(page.status, 503);
  assert.equal(page.headers["retry-after"], "1");
});

// --- What is kept ------------------------------------------------------------------------------------------------------

void test("a full memory forgets what was used the longest ago, and keeps nothing that is larger than itself", () => {
  const kept = createKept<string>(10);
  kept.set("a", "A", 100, 4);
  kept.set("b", "B", 100, 4);
  assert.equal(kept.get("a", 0), "A");
  kept.set("c", "C", 100, 4);
  assert.deepEqual([kept.get("a", 0), kept.get("b", 0), kept.get("c", 0)], ["A", undefined, "C"]);
  kept.set("d", "D", 100, 11);
  assert.equal(kept.get("d", 0), undefined);
  kept.set("a", "A2", 100, 1);
  kept.set("e", "E", 100, 5);
  assert.deepEqual([kept.get("a", 0), kept.get("c", 0), kept.get("e", 0)], ["A2", "C", "E"]);
  assert.equal(kept.get("a", 100), undefined);
});
