import assert from "node:assert/strict";
import { createLink } from "../src/channels/email/links.ts";
import type { CommentRecord } from "../src/conversation/schema.ts";
import type { EmbedConversation, EmbedTask } from "../src/embed/schema.ts";
import { DAY, HOUR } from "../src/lib/time.ts";
import { EMBED_ENV, mint, newServiceKey } from "./support/embed.ts";
import { person } from "./support/people.ts";
import { testOnBoth, type TestService } from "./support/service.ts";

const DANA = "dana@example.com";
const LEE = "lee@example.com";

/** The path of the page behind the link of a mail to an address. */
const pathOf = ({ ctx }: TestService, id: string, address = DANA) => new URL(createLink(ctx, id, address)).pathname;

const open = ({ call }: TestService, path: string) => call<{ html: string }>("GET", path, { token: null });

const nonceOf = async (service: TestService, path: string) =>
  /name="~nonce" value="([^"]*)"/.exec((await open(service, path)).text)?.[1] ?? "";

/** The hidden fields of a page. */
function hiddenOf(page: string): Record<string, string> {
  const fields = [...page.matchAll(/<input type="hidden" name="([^"]*)"(?: form="[^"]*")? value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, name = "", value = ""]) => [name, value]));
}

/** Posts what a page says, with or without a script. */
function post({ call }: TestService, path: string, fields: Record<string, string>) {
  return call<{ html: string; error_code: string; message: string }>("POST", path, {
    token: null,
    raw: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
}

const said = async ({ call }: TestService, id: string) =>
  (await call<CommentRecord[]>("GET", `/api/tasks/${id}/comments`)).body;

testOnBoth("whom a mail asked reads and writes with its link, as who they are", async (service) => {
  const lee = await person(service, { email: LEE, display_name: "Lee Chen" });
  const { id } = await service.create({ notify: [`email:${DANA}`, `email:${LEE}`] });
  await lee.call("POST", `/api/tasks/${id}/comments`, { body: { text: "I know <b>Mia</b>." } });
  const path = pathOf(service, id);
  const page = await open(service, path);
  assert.match(page.text, /Lee Chen[^]*I know &lt;b>Mia&lt;\/b>\.|Lee Chen[^]*I know &lt;b&gt;Mia&lt;\/b&gt;\./);
  const fields = { "~nonce": await nonceOf(service, path), "~text": "Which card?", "~say": "question" };
  const asked = await post(service, `${path}/conversation`, { ...fields, "~say-key": "one" });
  assert.equal(asked.status, 200);
  assert.match(asked.body.html, /<bdi>You<\/bdi> asked/);
  // A lost answer is repeated.
  assert.equal((await post(service, `${path}/conversation`, { ...fields, "~say-key": "one" })).status, 200);
  const [, question, ...more] = await said(service, id);
  assert.equal(more.length, 0);
  assert.equal(question!.kind, "question");
  assert.deepEqual(
    { ...question!.by, text: question!.text },
    { kind: "recipient", user_id: null, email: DANA, name: null, channel: "email", text: "Which card?" },
  );
  await service.call("POST", `/api/tasks/${id}/comments`, { body: { text: "4242" } });
  assert.match((await open(service, `${path}/conversation`)).body.html, /<bdi>admin<\/bdi> replied[^]*4242/);
});

testOnBoth("without a script, what was entered in the form stays with the comment", async (service) => {
  const { id } = await service.create({ notify: [`email:${DANA}`] });
  const path = pathOf(service, id);
  const entries = { "~nonce": await nonceOf(service, path), "/note": "Half of it", "~say": "comment" };
  const done = await post(service, path, { ...entries, "~text": "First\r\nsecond" });
  assert.equal(done.status, 200);
  assert.match(done.text, />Half of it<\/textarea>/);
  assert.deepEqual(
    (await said(service, id)).map(({ text }) => text),
    ["First\nsecond"],
  );
  // What cannot be stored stays as well, and the page says why.
  for (const [text, why] of [
    [" ", "It has no words."],
    ["x".repeat(20_001), "20000"],
  ] as const) {
    const refused = await post(service, path, { ...entries, "~text": text });
    assert.equal(refused.status, 422, refused.text);
    assert.ok(refused.text.includes(why), refused.text);
    assert.match(refused.text, />Half of it<\/textarea>/);
    assert.ok(refused.text.includes(`>${text}</textarea>`));
  }
  assert.equal((await said(service, id)).length, 1);
});

testOnBoth("a link that is none, is not theirs any more or was opened long ago writes nothing", async (service) => {
  const lee = await person(service, { email: LEE });
  const { id } = await service.create({ notify: [`email:${DANA}`] });
  const path = pathOf(service, id);
  const fields = { "~nonce": await nonceOf(service, path), "~text": "Hello", "~say": "comment" };
  const say = (to: string, more = {}) => post(service, `${to}/conversation`, { ...fields, ...more });
  // The last characters of a signature have bits that do not count.
  const forged = path.replace(/.(?=.{10}$)/, (one) => (one === "x" ? "y" : "x"));
  for (const answer of [await say(forged), await open(service, `${forged}/conversation`)])
    assert.equal(answer.status, 404);
  for (const nonce of ["", fields["~nonce"].slice(0, -1)]) {
    const { status, body } = await say(path, { "~nonce": nonce });
    assert.deepEqual([status, body.error_code], [403, "FORBIDDEN"]);
  }
  assert.equal((await say(path, { "~say": "shout" })).status, 422);
  service.clock.advance(DAY + HOUR);
  const late = await say(path);
  assert.equal(late.status, 403);
  const other = await service.create({ notify: [`email:${DANA}`], idempotency_key: "other" });
  const moved = pathOf(service, other.id);
  const nonce = { "~nonce": await nonceOf(service, moved) };
  await service.call("POST", `/api/tasks/${other.id}/assign`, { body: { user_id: lee.user.id } });
  assert.equal((await say(moved, nonce)).status, 403);
  assert.equal((await open(service, `${moved}/conversation`)).status, 403);
  assert.equal((await said(service, id)).length + (await said(service, other.id)).length, 0);
});

testOnBoth(
  "after the end, the page of a link has the conversation, and takes comments of its person",
  async (service) => {
    const lee = await person(service, { email: LEE });
    const { id } = await service.create({ notify: [`email:${DANA}`] });
    const path = pathOf(service, id);
    const open1 = { "~nonce": await nonceOf(service, path), "~text": "Why was it cancelled?", "~say": "comment" };
    await service.call("POST", `/api/tasks/${id}/cancel`, { body: {} });
    // It was written before the end, and its page is still open.
    const late = await post(service, path, { ...open1, "/note": "Half of it" });
    assert.equal(late.status, 200);
    assert.match(late.text, /This task was cancelled[^]*comment was added[^]*Half of it[^]*Why was it cancelled\?/);
    const page = await open(service, path);
    assert.equal(page.status, 409);
    assert.match(page.text, /This task was cancelled[^]*Why was it cancelled\?/);
    // No one waits for a question any more.
    assert.doesNotMatch(page.text, /value="question"/);
    const hidden = hiddenOf(page.text);
    const empty = await post(service, path, { ...hidden, "~text": " ", "~say": "comment" });
    assert.equal(empty.status, 409);
    assert.match(empty.text, /This task was cancelled[^]*It has no words\./);
    for (let times = 0; times < 2; times++)
      assert.equal((await post(service, path, { ...hidden, "~text": "Thanks.", "~say": "comment" })).status, 200);
    assert.equal((await post(service, `${path}/conversation`, { ...open1, "~text": "By script." })).status, 200);
    assert.deepEqual(
      (await said(service, id)).map(({ text }) => text),
      ["Why was it cancelled?", "Thanks.", "By script."],
    );
    assert.equal(
      (await post(service, path, { ...hidden, "~nonce": "x", "~text": "No.", "~say": "comment" })).status,
      409,
    );
    // A closed task of someone else shows nothing of its conversation.
    const other = await service.create({ notify: [`email:${DANA}`], idempotency_key: "other" });
    const moved = pathOf(service, other.id);
    await service.call("POST", `/api/tasks/${other.id}/assign`, { body: { user_id: lee.user.id } });
    await service.call("POST", `/api/tasks/${other.id}/comments`, { body: { text: "Only for Lee." } });
    await service.call("POST", `/api/tasks/${other.id}/cancel`, { body: {} });
    assert.doesNotMatch((await open(service, moved)).text, /Only for Lee|~text/);
    assert.equal((await post(service, moved, { ...hidden, "~text": "Mine.", "~say": "comment" })).status, 409);
    assert.equal((await said(service, other.id)).length, 1);
    assert.equal((await said(service, id)).length, 3);
  },
);

testOnBoth(
  "in an embedded form a person reads and writes with their token, and sees no address of others",
  async (service) => {
    const key = await newServiceKey(service);
    const lee = await person(service, { email: LEE });
    const { id } = await service.create({ assign_to: { email: LEE } });
    const other = await service.create({ idempotency_key: "other" });
    const tokenOf = async (task_id: string, sub: string) =>
      (await mint(service, key.key, { task_id, sub })).body.embed_token;
    const token = await tokenOf(id, "customer-17");
    const path = "/api/embed/task/comments";
    await lee.call("POST", `/api/tasks/${id}/comments`, { body: { text: "I look at it." } });
    const body = { text: "Which card?", kind: "question", idempotency_key: "one" };
    for (let times = 0; times < 2; times++) {
      const asked = await service.call<EmbedConversation>("POST", path, { token, body });
      assert.deepEqual([asked.status, asked.body.comments], [200, 2]);
      assert.doesNotMatch(asked.text, /lee@/);
    }
    const html = async (sub: string) =>
      (await service.call<EmbedConversation>("GET", path, { token: await tokenOf(id, sub) })).body.html ?? "";
    assert.match(await html("customer-17"), /<bdi>You<\/bdi> asked/);
    assert.match(await html("customer-18"), /<bdi>Someone<\/bdi> asked/);
    const opened = await service.call<EmbedTask>("GET", "/api/embed/task", { token });
    assert.equal(opened.body.comments, 2);
    const [, question] = await said(service, id);
    assert.deepEqual([question!.by.kind, question!.by.channel, question!.is_asker], ["embed", "embed", false]);

    const elsewhere = await service.call<{ error_code: string }>("GET", `${path}?id=${other.id}`, { token });
    assert.equal(elsewhere.body.error_code, "INVALID_EMBED_TOKEN");
    const posted = await service.call<{ error_code: string }>("POST", `${path}?id=${other.id}`, { token, body });
    assert.equal(posted.body.error_code, "INVALID_EMBED_TOKEN");
    const long = await service.call("POST", path, { token, body: { text: "x".repeat(20_001) } });
    assert.equal(long.status, 422);
    assert.equal((await said(service, other.id)).length, 0);
  },
  { env: EMBED_ENV },
);

testOnBoth(
  "a page that looks for news gets none until there is some, and then all of it",
  async (service) => {
    const key = await newServiceKey(service);
    const lee = await person(service, { email: LEE, is_operator: true });
    const { id } = await service.create({ notify: [`email:${DANA}`] });
    const path = `${pathOf(service, id)}/conversation`;
    const { embed_token: token } = (await mint(service, key.key, { task_id: id })).body;
    const looks = [
      async (seen: string) => service.call<EmbedConversation>("GET", `${path}?seen=${seen}`, { token: null }),
      async (seen: string) =>
        service.call<EmbedConversation>("GET", `/api/embed/task/comments?seen=${seen}`, { token }),
    ];
    const marks = await Promise.all(looks.map(async (look) => (await look("")).body.mark));
    const news = async () => {
      const found = await Promise.all(looks.map(async (look, i) => look(marks[i]!)));
      for (const [i, { status, body }] of found.entries()) if (status === 200) marks[i] = body.mark;
      return found.map(({ status, text }) => [status, /Which card\?/.test(text)]);
    };
    const none = [204, false];
    const some = [200, true];
    assert.deepEqual(await news(), [none, none]);
    const body = { text: "Which card?", kind: "question" };
    await lee.call("POST", `/api/tasks/${id}/comments`, { body });
    assert.deepEqual(await news(), [some, some]);
    assert.deepEqual(await news(), [none, none]);
    // It waits for the asker no longer.
    await service.call("POST", `/api/tasks/${id}/cancel`, { body: {} });
    assert.deepEqual(await news(), [some, some]);
    // Who may not read the task any more learns nothing of it.
    const other = await service.create({ notify: [`email:${DANA}`], idempotency_key: "other" });
    const moved = `${pathOf(service, other.id)}/conversation`;
    const { mark } = (await service.call<EmbedConversation>("GET", moved, { token: null })).body;
    await service.call("POST", `/api/tasks/${other.id}/assign`, { body: { user_id: lee.user.id } });
    assert.equal((await service.call("GET", `${moved}?seen=${mark}`, { token: null })).status, 403);
  },
  { env: EMBED_ENV },
);

testOnBoth(
  "an answer from a page or a form that showed an earlier version does not count",
  async (service) => {
    const key = await newServiceKey(service);
    const { id } = await service.create({ notify: [`email:${DANA}`] });
    const path = pathOf(service, id);
    const fields = hiddenOf((await open(service, path)).text);
    const { embed_token: token } = (await mint(service, key.key, { task_id: id })).body;
    const revise = { body: { payload: { customer: "Dana", amount: 99 }, note: "It is 99." } };
    assert.equal((await service.call("POST", `/api/tasks/${id}/revise`, revise)).status, 200);
    const late = await post(service, path, { ...fields, "/approved": "true", "/note": "Half of it" });
    assert.equal(late.status, 409);
    assert.match(late.text, /This is version 2\.[^]*It is 99\.[^]*>Half of it<\/textarea>/);
    const body = { response: { approved: true }, version: 1 };
    const framed = await service.call<{ error_code: string }>("POST", "/api/embed/task/complete", { token, body });
    assert.deepEqual([framed.status, framed.body.error_code], [409, "TASK_REVISED"]);
    assert.match((await open(service, `${path}?choice=0`)).text, /was changed after this link was sent/);
    assert.doesNotMatch((await open(service, `${path}?choice=0&version=2`)).text, /was changed after this link/);
    const now = await post(service, path, { ...hiddenOf(late.text), "/approved": "true" });
    assert.equal(now.status, 200);
    // The conversation goes on there.
    const more = { ...hiddenOf(now.text), "~text": "I looked twice.", "~say": "comment" };
    assert.match((await post(service, path, more)).text, /comment was added[^]*I looked twice\./);
  },
  { env: EMBED_ENV },
);
