import { getTaskWithDocuments } from "../../tasks/store.ts";
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { addUser } from "../../../test/support/people.ts";
import { testOnBoth, type TestService } from "../../../test/support/service.ts";
import { ServiceError } from "../../errors.ts";
import { DAY } from "../../lib/time.ts";
import type { Caller } from "../../people/caller.ts";
import { mayWith } from "../../tasks/access.ts";
import type { AuditEntryRecord, CreateTaskBody, TaskRecord } from "../../tasks/schema.ts";
import { createLink } from "./links.ts";

const DANA = "dana@example.com";

/** A task that tells Dana, and the path of her link. */
async function asked(service: TestService, fields: Partial<CreateTaskBody> = {}) {
  const { id } = await service.create({ notify: [`email:${DANA}`], ...fields });
  return { id, path: pathOf(service, id, DANA) };
}

/** @param user_id - who had the address when the mail was sent; left out: nobody */
function pathOf({ ctx }: TestService, id: string, address: string, user_id?: string): string {
  return new URL(createLink(ctx, id, address, user_id)).pathname;
}

const open = ({ call }: TestService, path: string, method: "GET" | "HEAD" = "GET") =>
  call(method, path, { token: null });

/** Posts what a browser would, with nothing but what is given. */
function post({ call }: TestService, path: string, fields: Record<string, string>) {
  return call("POST", path, {
    token: null,
    raw: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
  });
}

/** The hidden fields of a page. */
function hiddenOf(page: string): Record<string, string> {
  const fields = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, name = "", value = ""]) => [name, value]));
}

/** Opens the page and posts it, as a person does. */
async function answer(service: TestService, path: string, fields: Record<string, string> = { "/approved": "true" }) {
  const { text } = await open(service, path);
  return post(service, path, { ...hiddenOf(text), ...fields });
}

const titleOf = ({ text }: { text: string }) => /<h1[^>]*>(.*?)<\/h1>/s.exec(text)?.[1];

testOnBoth("opening a link changes nothing, however often and by whomever", async (service) => {
  const { id, path } = await asked(service);
  const before = await service.call("GET", `/api/tasks/${id}`);
  for (let times = 0; times < 50; times++) assert.equal((await open(service, path)).status, 200);
  for (let times = 0; times < 10; times++) assert.equal((await open(service, path, "HEAD")).status, 200);
  assert.equal((await open(service, `${path}?choice=0`)).status, 200);
  const prefetched = await service.call("GET", path, { token: null, headers: { purpose: "prefetch" } });
  assert.equal(prefetched.status, 200);
  assert.deepEqual((await service.call("GET", `/api/tasks/${id}`)).body, before.body);
  const { body } = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
  assert.equal(body.filter(({ action }) => action === "completed").length, 0);
  assert.equal((await answer(service, path)).status, 200);
});

testOnBoth(
  "a page says to nobody else what it says: not cached, not found by search, not framed, no referrer",
  async (service) => {
    const { path } = await asked(service);
    const { headers } = await open(service, path);
    assert.equal(headers["cache-control"], "no-store");
    assert.equal(headers["x-robots-tag"], "noindex");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.match(headers["content-security-policy"] ?? "", /default-src 'none'.*frame-ancestors 'none'/);
  },
);

testOnBoth("an answer through a link completes the task as its recipient, and spends the link", async (service) => {
  const user = await addUser(service, { email: DANA, display_name: "Dana" });
  const { id, path } = await asked(service, { callback_url: "https://agent.example.com/hook" });
  const done = await answer(service, path, { "/approved": "true", "/note": "Fine by me." });
  assert.equal(done.status, 200);
  assert.equal(titleOf(done), "Answer sent");
  assert.match(done.text, /Fine by me\./);
  const { body: task } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
  assert.equal(task.status, "completed");
  assert.deepEqual(task.response, { approved: true, note: "Fine by me." });
  assert.equal(task.completed_by_email, DANA);
  assert.equal(task.completed_by_user_id, user.id);
  assert.equal(task.completed_via_channel, "email");
  const { body: audit } = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
  const entry = audit.find(({ action }) => action === "completed");
  assert.equal(entry?.actor_type, "human");
  assert.equal(entry?.actor_email, DANA);
  assert.equal(entry?.channel, "email");
  const { body: owed } = await service.call<{ task_id: string }[]>("GET", "/api/admin/webhook-deliveries");
  assert.deepEqual(
    owed.map(({ task_id }) => task_id),
    [id],
  );
  for (const again of [await open(service, path), await answer(service, path)]) {
    assert.equal(again.status, 410);
    assert.equal(titleOf(again), "You already answered this");
  }
});

testOnBoth("of 20 answers at once through one link, exactly one is accepted", async (service) => {
  const { id, path } = await asked(service);
  const fields = hiddenOf((await open(service, path)).text);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => post(service, path, { ...fields, "/approved": "true", "/note": String(i) })),
  );
  const accepted = answers.filter(({ status }) => status === 200);
  assert.equal(accepted.length, 1);
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 410]));
  const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
  assert.match(accepted[0]!.text, new RegExp(`>${(body.response as { note: string }).note}<`));
  const { body: audit } = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
  assert.equal(audit.filter(({ action }) => action === "completed").length, 1);
});

testOnBoth("without the nonce of its page, nothing that is posted counts", async (service) => {
  const { id, path } = await asked(service);
  const other = await asked(service);
  const { "~nonce": _own, ...hidden } = hiddenOf((await open(service, path)).text);
  const fields = { ...hidden, "/approved": "true" };
  const { "~nonce": foreign = "" } = hiddenOf((await open(service, other.path)).text);
  const { "~nonce": old = "" } = hiddenOf((await open(service, path)).text);
  for (const nonce of [
    {},
    { "~nonce": "" },
    { "~nonce": foreign },
    { "~nonce": old.replace(/^\d+/, "9999999999999") },
  ]) {
    const refused = await post(service, path, { ...fields, ...nonce, "/note": "Kept" });
    // Only a page can have been open for a long time.
    assert.match(refused.text, nonce["~nonce"] ? /open for a long time/ : /did not come from this page/);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /Nothing was sent yet/);
    assert.match(refused.text, /Kept/);
  }
  const long = await asked(service, { timeout_seconds: (3 * DAY) / 1000 });
  const { "~nonce": stale = "" } = hiddenOf((await open(service, long.path)).text);
  service.clock.advance(DAY + 1);
  assert.equal((await post(service, long.path, { ...fields, "~nonce": stale })).status, 403);
  const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
  assert.equal(body.completed_at, null);
  assert.equal((await answer(service, long.path)).status, 200);
});

testOnBoth("an answer that does not fit is refused on its field, and the link stays good", async (service) => {
  const { path } = await asked(service, {
    response_schema: {
      type: "object",
      properties: { approved: { type: "boolean" }, code: { type: "string", pattern: "^[A-Z]{3}$" } },
      required: ["approved", "code"],
    },
  });
  const empty = await answer(service, path, {});
  assert.equal(empty.status, 422);
  assert.match(empty.text, /id="form-trouble"/);
  const wrong = await answer(service, path, { "/approved": "true", "/code": "abc" });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /value="abc"/);
  assert.equal((await answer(service, path, { "/approved": "true", "/code": "ABC" })).status, 200);
});

testOnBoth("what no body of the API may hold, no page can send either", async (service) => {
  const { path } = await asked(service, { response_schema: { type: "object" } });
  for (const json of [`{"__proto__": {"a": 1}}`, "[1]", "7", `{"a": ${"[".repeat(80)}${"]".repeat(80)}}`]) {
    const refused = await answer(service, path, { "~mode": "json", "~json": json });
    assert.equal(refused.status, 422, json.slice(0, 20));
  }
});

testOnBoth("a link opens one task for one address; any other opens nothing", async (service) => {
  const { id, path } = await asked(service);
  const other = await asked(service);
  const [start, proof = ""] = path.split(/\.(?=[^.]*$)/);
  const flipped = proof.replace(/^./, (first) => (first === "A" ? "B" : "A"));
  const wrong = [
    `${start}.${flipped}`,
    `${start}.`,
    start!,
    `${path}.x`,
    `${path}x`,
    other.path.replace(other.id, id),
    pathOf(service, id, "eve@example.com"),
    path.replace(id, "tsk_00000000000000000000000000"),
    "/api/channels/email/action/%00",
  ];
  for (const one of wrong) {
    const opened = await open(service, one);
    assert.equal(opened.status, 404, one);
    assert.equal((await post(service, one, { "/approved": "true" })).status, 404);
  }
  await service.call("DELETE", `/api/tasks/${id}`);
  const gone = await open(service, path);
  assert.equal(gone.status, 404);
  assert.equal(titleOf(gone), "This link doesn&#39;t work");
});

/** The directory, after a mail was sent to Dana. An address can be cleared where there is a Slack id. */
async function danaWithLink(service: TestService) {
  const user = await addUser(service, { email: DANA, slack_team_id: "T1", slack_user_id: "U1" });
  // Two people are named, so that the task is nobody's.
  const { id } = await service.create({ notify: [`email:${DANA}`, "email:lee@example.com"] });
  const path = pathOf(service, id, DANA, user.id);
  const change = (body: object) => service.call("PATCH", `/api/users/${user.id}`, { body });
  const deactivate = () => service.call("DELETE", `/api/users/${user.id}`);
  const answered = async () => (await service.call<TaskRecord>("GET", `/api/tasks/${id}`)).body;
  return { user, id, path, change, deactivate, answered };
}

const ADDRESSES: readonly [string, string | null][] = [
  ["has been changed", "dana.reyes@example.com"],
  ["has been cleared", null],
  ["is the same", DANA],
];
for (const [what, email] of ADDRESSES)
  testOnBoth(
    `a person who was deactivated cannot answer through an old link: their address ${what}`,
    async (service) => {
      const { path, change, deactivate, answered } = await danaWithLink(service);
      const fields = { ...hiddenOf((await open(service, path)).text), "/approved": "true" };
      assert.equal((await change({ email })).status, 200);
      assert.equal((await deactivate()).status, 200);
      assert.equal((await open(service, path, "HEAD")).status, 403);
      for (const page of [await open(service, path), await post(service, path, fields)]) assert.equal(page.status, 403);
      assert.equal((await answered()).status, "created");
    },
  );

for (const [what, email] of ADDRESSES)
  testOnBoth(`a person answers as themselves through an old link: their address ${what}`, async (service) => {
    const { user, path, change, answered } = await danaWithLink(service);
    const fields = { ...hiddenOf((await open(service, path)).text), "/approved": "true" };
    assert.equal((await change({ email })).status, 200);
    // Somebody else has the address now.
    if (email !== DANA) await addUser(service, { email: DANA });
    assert.equal((await open(service, path, "HEAD")).status, 200);
    assert.equal((await post(service, path, fields)).status, 200);
    const { status, completed_by_user_id, completed_by_email } = await answered();
    assert.deepEqual([status, completed_by_user_id, completed_by_email], ["completed", user.id, email]);
    const again = await open(service, path);
    assert.deepEqual([again.status, titleOf(again)], [410, "You already answered this"]);
  });

let whileChecked = async () => {};
testOnBoth(
  "a person who is deactivated while their answer is checked has not answered, whatever becomes of their address",
  async (service) => {
    const { user, change, deactivate } = await danaWithLink(service);
    const verifier_config = { provider: "openai", instructions: "Check it." };
    const { id } = await service.create({ notify: [`email:${DANA}`, "email:lee@example.com"], verifier_config });
    whileChecked = async () => {
      await change({ email: null });
      await deactivate();
    };
    const refused = await answer(service, pathOf(service, id, DANA, user.id));
    assert.equal(refused.status, 403);
    const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
    assert.equal(body.status, "created");
  },
  {
    env: { OPENAI_API_KEY: "k" },
    verify: async () => {
      await whileChecked();
      return { passed: true, reason: "Good." };
    },
  },
);

testOnBoth("a link to an address that was nobody's is for whoever has the address now", async (service) => {
  const { id, path } = await asked(service);
  assert.equal((await open(service, path)).status, 200);
  const user = await addUser(service, { email: DANA });
  assert.equal((await answer(service, path)).status, 200);
  const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
  assert.equal(body.completed_by_user_id, user.id);
});

testOnBoth("nobody makes a link for another person out of their own", async (service) => {
  const { user, id, path } = await danaWithLink(service);
  const other = await addUser(service, { email: "lee@example.com" });
  const outsider = pathOf(service, id, DANA);
  const proof = outsider.split(".").at(-1)!;
  for (const forged of [
    path.replace(user.id, other.id),
    path.replace(`.${user.id}`, ""),
    outsider.replace(proof, `${user.id}.${proof}`),
    path.replace(user.id, "usr_1"),
    path.replace(user.id, ""),
    path.replace(user.id, `${user.id}.${user.id}`),
  ])
    assert.equal((await open(service, forged)).status, 404, forged);
});

testOnBoth(
  "a link opens one task, to read and to answer, even where its person is an operator",
  async ({ ctx, create }) => {
    const notify = [`email:${DANA}`, "email:lee@example.com"];
    const [theirs, other] = await Promise.all(
      [await create({ notify }), await create({ notify })].map(({ id }) => getTaskWithDocuments(ctx.db, id)),
    );
    const grant = { kind: "link", task_id: theirs!.id, is_named: true } as const;
    const caller = {
      kind: "recipient",
      channel: "email",
      person: null,
      email: DANA,
      account: null,
      grant,
    } as const satisfies Caller;
    const names = { id: "usr_1", email: DANA, display_name: null };
    const operator = { ...names, is_operator: true, projects: {}, time_zone: null, language: null, absence: null };
    assert.equal(await mayWith(ctx.db, caller, "complete", theirs!), true);
    for (const one of [caller, { ...caller, person: operator }]) {
      assert.equal(await mayWith(ctx.db, one, "read", theirs!), true);
      assert.equal(await mayWith(ctx.db, one, "complete", other!), false);
      for (const action of ["cancel", "claim", "release", "assign", "delete", "audit", "poll", "list"] as const)
        assert.equal(await mayWith(ctx.db, one, action, theirs!), false, action);
    }
  },
);

testOnBoth("once a task has ended some other way, the page says how and when, and who decided", async (service) => {
  await addUser(service, { email: "lee@example.com", display_name: "Lee Chen" });
  const notify = [`email:${DANA}`, "email:lee@example.com"];
  const elsewhere = await asked(service, { notify });
  assert.equal((await answer(service, pathOf(service, elsewhere.id, "lee@example.com"))).status, 200);
  const cancelled = await asked(service);
  await service.call("POST", `/api/tasks/${cancelled.id}/cancel`, { body: { reason: "secret" } });
  const late = await asked(service, { timeout_seconds: 60 });
  const fields = { ...hiddenOf((await open(service, late.path)).text), "/approved": "false", "/note": "Too late" };
  service.clock.advance(60_000);
  const expected: [string, string][] = [
    [elsewhere.path, "Already answered by Lee Chen"],
    [cancelled.path, "This task was cancelled"],
    [late.path, "This task has timed out"],
  ];
  for (const [path, title] of expected) {
    const page = await open(service, path);
    assert.equal(page.status, 409);
    assert.equal(titleOf(page), title);
    assert.match(page.text, /31 Jan 2026, 12:0\d UTC/);
    assert.doesNotMatch(page.text, /secret/);
  }
  const posted = await post(service, late.path, fields);
  assert.equal(posted.status, 409);
  assert.match(posted.text, /Your unsent answer[^]*Too late/);
});

testOnBoth("a link is good only while the task is its recipient's or nobody's", async (service) => {
  await addUser(service, { email: "lee@example.com", display_name: "Lee Chen" });
  const gone = await addUser(service, { email: "gone@example.com" });
  const given = await asked(service);
  const fields = { ...hiddenOf((await open(service, given.path)).text), "/approved": "true" };
  await service.call("POST", `/api/tasks/${given.id}/assign`, { body: { email: "lee@example.com" } });
  for (const page of [await open(service, given.path), await post(service, given.path, fields)]) {
    assert.equal(page.status, 403);
    assert.equal(titleOf(page), "You cannot answer this task");
    assert.match(page.text, /This task is assigned to Lee Chen\. Nothing was sent\./);
  }
  await service.call("POST", `/api/tasks/${given.id}/assign`, { body: { email: null } });
  assert.equal((await open(service, given.path)).status, 200);
  const { id } = await service.create({ notify: ["email:gone@example.com", `email:${DANA}`] });
  const path = pathOf(service, id, "gone@example.com");
  assert.equal((await open(service, path)).status, 200);
  await service.call("DELETE", `/api/users/${gone.id}`);
  const barred = await open(service, path);
  assert.equal(barred.status, 403);
  assert.match(barred.text, /Your account was deactivated\. Nothing was sent\./);
});

const NOT_FOR_EVERYBODY: readonly [string, Partial<CreateTaskBody>, RegExp][] = [
  [
    "is for a pool",
    { assign_to: { pool: "finance" } },
    /This task is offered to the pool &quot;finance&quot;\. Nothing/,
  ],
  ["is for a role that nobody has", { assign_to: { role: "cfo" } }, /Only an operator can answer this task\. Nothing/],
  ["is for another person", { assign_to: { email: "kim@example.com" } }, /This task is assigned to Kim\. Nothing/],
  [
    "is for a list of addresses",
    { assign_to: { emails: ["kim@example.com", "pat@example.com"] } },
    /This task is offered to (Kim and pat@example\.com|pat@example\.com and Kim)\. Nothing/,
  ],
];
for (const [what, fields, who] of NOT_FOR_EVERYBODY)
  testOnBoth(
    `a link of somebody who may not answer opens a page that says who can: the task ${what}`,
    async (service) => {
      await addUser(service, { email: "kim@example.com", display_name: "Kim", pool: "finance" });
      const user = await addUser(service, { email: "out@example.com", pool: "sales" });
      const notify = ["email:out@example.com", "email:outside@example.com", "email:kim@example.com"];
      const { id } = await service.create({ ...fields, notify });
      const mine = await asked(service);
      const hidden = hiddenOf((await open(service, mine.path)).text);
      for (const path of [
        pathOf(service, id, "out@example.com", user.id),
        pathOf(service, id, "out@example.com"),
        pathOf(service, id, "outside@example.com"),
      ]) {
        assert.equal((await open(service, path, "HEAD")).status, 403);
        for (const page of [
          await open(service, path),
          await open(service, `${path}?choice=0`),
          await post(service, path, { ...hidden, "/approved": "true" }),
        ]) {
          assert.equal(page.status, 403);
          assert.equal(titleOf(page), "You cannot answer this task");
          assert.match(page.text, who);
          assert.doesNotMatch(page.text, /<form/);
        }
      }
      const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
      assert.deepEqual([body.status, body.response], ["created", null]);
    },
  );

testOnBoth("an operator answers somebody else's task through a link", async (service) => {
  const operator = await addUser(service, { email: "op@example.com", is_operator: true });
  for (const fields of [{ assign_to: { email: "kim@example.com" } }, { assign_to: { role: "cfo" } }]) {
    const { id } = await service.create({ ...fields, notify: ["email:op@example.com", "email:kim@example.com"] });
    assert.equal((await answer(service, pathOf(service, id, "op@example.com", operator.id))).status, 200);
    const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
    assert.deepEqual([body.status, body.completed_by_user_id], ["completed", operator.id]);
  }
});

testOnBoth(
  "a task that is offered to addresses belongs to the first of them who answers through a link",
  async (service) => {
    const emails = ["pat@example.com", "sam@example.com"];
    const { id } = await service.create({ assign_to: { emails }, notify: emails.map((email) => `email:${email}`) });
    const late = pathOf(service, id, "sam@example.com");
    assert.equal((await open(service, late)).status, 200);
    assert.equal((await answer(service, pathOf(service, id, "pat@example.com"))).status, 200);
    const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
    assert.deepEqual(
      [body.status, body.completed_by_email, body.assigned_to_email, body.assigned_to_user_id],
      ["completed", "pat@example.com", "pat@example.com", null],
    );
    assert.equal((await answer(service, late)).status, 409);
  },
);

testOnBoth(
  "an answer that was sent back is told as their own only to the person who gave it",
  async (service) => {
    const pat = "pat@example.com";
    const { id } = await service.create({
      notify: [`email:${DANA}`, `email:${pat}`, "email:out@example.com"],
      assign_to: { emails: [DANA, pat] },
      verifier_config: { provider: "openai", instructions: "Check it.", max_attempts: 2 },
    });
    const [own, other, none] = [DANA, pat, "out@example.com"].map((address) => pathOf(service, id, address)) as [
      string,
      string,
      string,
    ];
    const back = await answer(service, own);
    for (const page of [back, await open(service, own)]) {
      assert.match(page.text, /Sent back\. Change your answer and resubmit \(attempt 2 of 2, the last one\)/);
      assert.match(page.text, /Say why\./);
      assert.doesNotMatch(page.text, /An answer was sent back/);
    }
    // Of several candidates, any may answer after an answer that was sent back.
    const seen = await open(service, other);
    assert.match(
      seen.text,
      /An answer was sent back\. Please answer again \(attempt 2 of 2, the last one\)\. The reason: Say why\./,
    );
    assert.doesNotMatch(seen.text, /Change the answer/);
    assert.equal((await answer(service, other)).status, 200);
    assert.match((await open(service, own)).text, /The reason: Say why\./);
    assert.doesNotMatch((await open(service, none)).text, /Say why/);
  },
  { env: { OPENAI_API_KEY: "k" }, verify: async () => ({ passed: false, reason: "Say why." }) },
);

let verdicts: ("pass" | "refuse" | "fail")[] = [];
testOnBoth(
  "an answer that is sent back keeps what was entered, and the link; so does a check that failed",
  async (service) => {
    verdicts = ["refuse", "fail", "pass"];
    const { id, path } = await asked(service, {
      verifier_config: { provider: "openai", instructions: "Check it.", max_attempts: 3 },
    });
    const fields = { "/approved": "true", "/note": "First try" };
    const back = await answer(service, path, fields);
    assert.equal(back.status, 200);
    assert.match(back.text, /Say why\./);
    assert.match(back.text, /First try/);
    const failed = await answer(service, path, fields);
    assert.equal(failed.status, 502);
    assert.ok(
      failed.text.includes("Automatic check is unavailable. Your answer is saved here; try again in a minute."),
    );
    assert.doesNotMatch(failed.text, /HTTP 500|provider|VERIFIER/);
    assert.match(failed.text, /First try/);
    assert.equal((await answer(service, path, fields)).status, 200);
    const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
    assert.equal(body.status, "completed");
  },
  {
    env: { OPENAI_API_KEY: "k" },
    verify: async () => {
      const verdict = verdicts.shift();
      if (verdict === "fail")
        throw new ServiceError("VERIFIER_PROVIDER_ERROR", {
          details: [{ path: "/verifier_config", message: "The provider answered HTTP 500." }],
        });
      return verdict === "pass" ? { passed: true, reason: "Good." } : { passed: false, reason: "Say why." };
    },
  },
);

testOnBoth("nothing that an agent writes becomes markup of the page", async (service) => {
  const evil = `</script><script>alert(1)</script><img src=x onerror=alert(1)>"'`;
  const { path } = await asked(service, {
    task: evil,
    payload: { [evil]: evil },
    payload_schema: {},
    response_schema: { type: "object", properties: { [evil]: { type: "string", title: evil, default: evil } } },
  });
  const { text } = await open(service, path);
  assert.doesNotMatch(text, /<script>alert|<img src=x/);
  assert.equal(text.split("</script>").length - 1, 2);
});

testOnBoth("whatever is posted, a page answers, and only an answer that fits is taken", async (service) => {
  const { path, id } = await asked(service, {
    response_schema: {
      type: "object",
      properties: {
        approved: { type: "string", pattern: "^[0-9]{40}$" },
        list: { type: "array", items: { type: "object", properties: { a: { type: "number" } } } },
        kind: { enum: ["a", "b"] },
      },
      required: ["approved"],
    },
  });
  const hidden = hiddenOf((await open(service, path)).text);
  const names = fc.constantFrom(...Object.keys(hidden), "/list~rows", "/list/0/a", "/kind", "~mode", "~press", "~json");
  const fields = fc.dictionary(
    fc.oneof(names, fc.string()),
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("json", "1", "add:/list", "remove:0:/list", "{}", "999999999"),
    ),
  );
  await fc.assert(
    fc.asyncProperty(fields, async (posted) => {
      const { status, headers } = await post(service, path, { ...hidden, ...posted });
      // 409: another version than that of the page.
      assert.ok([200, 403, 409, 422].includes(status), String(status));
      assert.match(headers["content-type"] ?? "", /^text\/html/);
    }),
    { numRuns: 100 },
  );
  const { body } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
  assert.equal(body.status, "created");
});

testOnBoth("also what goes wrong before a page is reached is told on a page", async (service) => {
  const { path } = await asked(service);
  const urlencoded = { "content-type": "application/x-www-form-urlencoded" };
  for (const [raw, headers, status] of [
    ["x", { "content-type": "text/plain" }, 400],
    ["x".repeat(2 * 1024 * 1024), urlencoded, 413],
    ["%ff=%00", urlencoded, 403],
  ] as const) {
    const answered = await service.call("POST", path, { token: null, raw, headers });
    assert.equal(answered.status, status);
    assert.match(answered.headers["content-type"] ?? "", /^text\/html/);
  }
});
