import assert from "node:assert/strict";
import { sql } from "kysely";
import { forUpdate } from "../db/locks.ts";
import { newId } from "../lib/ids.ts";
import { newAgent } from "../../test/support/agents.ts";
import { pause } from "../../test/support/pause.ts";
import { person } from "../../test/support/people.ts";
import { SEED } from "../../test/support/seed.ts";
import { MANY_REQUESTS_MS, newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import type { Caller } from "../people/caller.ts";
import { findUser } from "../people/store.ts";
import { toPerson } from "../people/sign-in.ts";
import { readPage } from "./list.ts";
import type { ListTasksQuery } from "./schema.ts";
import { findCandidates, isNarrow } from "./search-candidates.ts";
import { fillIndex, mergeIndex, startSearchIndex } from "./search-index.ts";
import { addAuditEntry, deleteTask } from "./store.ts";

const SETTLED_MS = 61_000;

async function fillWhole(service: TestService): Promise<void> {
  service.clock.advance(SETTLED_MS);
  while ((await fillIndex(service.ctx)) > 0);
}

const idsIn = ({ tasks }: Awaited<ReturnType<typeof readPage>>) => tasks.map(({ task }) => task.id);

async function textsOf({ ctx: { db } }: TestService): Promise<string[]> {
  const rows = await db.query.selectFrom("task_texts").select("text").orderBy("text").execute();
  return rows.map(({ text }) => text);
}

/** Returns a generator of numbers below `n`, always the same for one seed. */
function chooserOf(seed: number) {
  let state = seed >>> 0;
  const below = (n: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  return { below, oneOf: <T>(some: readonly T[]): T => some[below(some.length)]! };
}

const WORDS = [
  "refund",
  "REFUND",
  "Refunds",
  "order",
  "100%",
  "a_b_c",
  'say "yes"',
  "it's",
  "[EU]",
  "Lucía",
  "LUCÍA",
  "Ünïcode",
  "ñandú",
  "straße",
  "İstanbul",
  "ΟΔΟΣ",
  "дом",
  "日本語",
  "ab",
  "x",
  "😀😀😀",
  "back\\slash",
  "two  blanks",
  "kim@",
  "dana",
];
const NAMES = ["Dana Ek", "Lucía Öz", "Kim 100%", "ΟΔΟΣ", "refund-fan"];

testOnBoth(
  `a search finds the same with and without the index, however much of it is filled (seed ${SEED})`,
  async (service) => {
    const { ctx, clock, call, create } = service;
    const { below, oneOf } = chooserOf(SEED);
    const users = [
      await person(service, { display_name: "Dana Ek", email: "dana@example.com", pool: "desk" }),
      await person(service, { display_name: "Kim", email: "kim@example.com", pool: "desk", is_operator: true }),
      await person(service, { email: "lucía@example.com" }),
    ];
    const bot = await newAgent(service, { name: "refund-bot" });
    const agent = await ctx.agents.find(bot.token);
    const callers = async (): Promise<Caller[]> => {
      const people = await Promise.all(users.map(async ({ user }) => toPerson((await findUser(ctx.db, user.id))!)));
      const signed = people.map((user): Caller => ({
        kind: "user",
        user,
        session: "",
        confirmedAt: 0,
        method: "password",
        isLimited: false,
      }));
      const [dana] = people;
      const operates = { ...dana!, projects: { default: "operator" as const } };
      return [{ kind: "admin" }, ...signed, { ...signed[0]!, user: operates } as Caller, agent as Caller];
    };
    const ids: string[] = [];
    const words = (n: number) => Array.from({ length: 1 + below(n) }, () => oneOf(WORDS)).join(" ");
    const asUser = () => oneOf(users).call;
    const acts: (() => Promise<unknown>)[] = [
      async () => {
        const assign_to = oneOf([
          undefined,
          { pool: "desk" },
          { email: `${oneOf(["dana", "kim", "Ada"])}@example.com` },
          { user_id: oneOf(users).user.id },
        ]);
        const fields = {
          task: words(4),
          payload: { amount: below(1000), customer: words(2) },
          redact_payload: below(5) === 0,
          ...(below(3) === 0 && { labels: [oneOf(["VIP [EU]", "refund", 'a "b"', "100%", "ñandú"])] }),
          ...(below(4) === 0 && { idempotency_key: `${words(2)} ${below(1e6)}` }),
          ...(assign_to && { assign_to }),
        };
        if (below(3) === 0)
          return ids.push(
            (await bot.call<{ id: string }>("POST", "/api/tasks", { body: newTaskBody(fields) })).body.id,
          );
        return ids.push((await create(fields)).id);
      },
      async () => asUser()("POST", `/api/tasks/${oneOf(ids)}/claim`, { body: {} }),
      async () => asUser()("POST", `/api/tasks/${oneOf(ids)}/release`, { body: {} }),
      async () => asUser()("POST", `/api/tasks/${oneOf(ids)}/complete`, { body: { response: { approved: true } } }),
      async () =>
        call("POST", `/api/tasks/${oneOf(ids)}/complete`, {
          body: { response: { approved: true }, completed_by_email: `${oneOf(["zoe", "kim"])}@example.com` },
        }),
      async () => call("POST", `/api/tasks/${oneOf(ids)}/cancel`, { body: {} }),
      async () => call("POST", `/api/tasks/${oneOf(ids)}/assign`, { body: { email: oneOf(users).user.email } }),
      async () =>
        call("POST", `/api/tasks/${oneOf(ids)}/revise`, { body: { payload: { amount: 1, customer: words(2) } } }),
      async () => call("POST", `/api/tasks/${oneOf(ids)}/comments`, { body: { text: words(2) } }),
      async () => (ids.length > 5 ? call("DELETE", `/api/tasks/${ids.splice(below(ids.length), 1)[0]}`) : null),
      async () => call("PATCH", `/api/users/${oneOf(users).user.id}`, { body: { display_name: oneOf(NAMES) } }),
      async () => clock.advance(below(2) * SETTLED_MS),
      async () => fillIndex(ctx, 1 + below(20)),
      async () => fillIndex(ctx, 1 + below(20)),
      async () => mergeIndex(ctx, 1 + below(4)),
    ];
    for (let i = 0; i < 8; i++) await acts[0]!();
    const compare = async () => {
      for (let i = 0; i < 12; i++) {
        const part = (text: string) => text.slice(below(3), 3 + below(text.length));
        const search = Array.from({ length: 1 + below(2) }, () => {
          const text = part(oneOf([...WORDS, ...NAMES, "example.com", "refund-bot", "key-1"]));
          return `${oneOf(["", "", "", "from:", "by:", "label:"])}${oneOf([text, `"${text}"`, text.toUpperCase()])}`;
        }).join(" ");
        const query: ListTasksQuery = {
          q: `${search}${oneOf(["", "", " is:open", " is:mine"])}`,
          limit: 1 + below(4),
          ...oneOf([{}, {}, { terminal: false }, { terminal: true }, { status: ["created", "completed"] as never }]),
          ...oneOf([{}, { sort: "deadline" as const }, { sort: "ended" as const }]),
          ...oneOf([{}, {}, { offset: 1 }, { assigned_to: "dana@example.com" }, { agent: bot.id }]),
        };
        const caller = oneOf(await callers());
        for (let pages = 0, cursor: string | null = ""; cursor !== null && pages < 3; pages++) {
          const asked: ListTasksQuery = cursor === "" ? query : { ...query, cursor };
          const wanted = await readPage(ctx, caller, asked, null);
          for (const lookedThrough of [0, 1, 4, 1000]) {
            const found = await readPage(ctx, caller, asked, lookedThrough);
            assert.deepEqual(
              [idsIn(found), found.next],
              [idsIn(wanted), wanted.next],
              `${JSON.stringify(asked)} of ${caller.kind}, ${lookedThrough} looked through`,
            );
          }
          cursor = wanted.next;
        }
      }
    };
    await compare();
    for (let round = 0; round < 8; round++) {
      for (let i = 0; i < 12; i++) await oneOf(acts)();
      await compare();
    }
    await fillWhole(service);
    await compare();
    const { count } = await ctx.db.query
      .selectFrom("task_texts")
      .select((select) => select.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    assert.equal(count, ids.length, "each task has a text, and no deleted one");
    if (service.dialect === "sqlite")
      await ctx.db.write(({ query }) =>
        sql`insert into task_words (task_words, rank) values ('integrity-check', 1)`.execute(query),
      );
  },
  { limitMs: MANY_REQUESTS_MS },
);

testOnBoth(
  "a search asks the index for old tasks, and for those that it has not followed yet itself",
  async (service) => {
    const { ctx, call, create } = service;
    const find = async (q: string) => findCandidates(ctx.db.heavy, q, ctx.db.now());
    const old = await create({ task: "Send the marigolds", assign_to: { email: "dana@example.com" } });
    const other = await create();
    assert.deepEqual((await find("marigold"))!.toSorted(), [old.id, other.id].toSorted(), "nothing is in the index");
    assert.equal(await fillIndex(ctx), 0, "what has just happened may not be all that has happened until then");
    await fillWhole(service);
    assert.deepEqual(await find("MARIGOLD"), [old.id]);
    assert.deepEqual(await find("from:marigold by:dana@"), [old.id]);
    assert.deepEqual(await find("buttercup"), []);

    // A process ends between two batches: another goes on.
    const young = await create({ task: "Water the buttercups" });
    await call("POST", `/api/tasks/${old.id}/cancel`);
    assert.deepEqual((await find("buttercup"))!.toSorted(), [old.id, young.id].toSorted());
    service.clock.advance(SETTLED_MS);
    assert.equal(await fillIndex(ctx, 1), 1);
    assert.deepEqual((await find("buttercup"))!.toSorted(), [old.id, young.id].toSorted());
    assert.equal(await fillIndex(ctx, 1), 1);
    assert.deepEqual(await find("buttercup"), [young.id]);
  },
);

testOnBoth("words that an index cannot know are looked for in all tasks", async ({ ctx: { db } }) => {
  for (const q of ["", "ab", "is:open", "label:refund", "é!"]) assert.ok(!isNarrow(db, q), q);
  for (const q of ["abc", "ab abc", "from:abc", "label:x abc"]) assert.ok(isNarrow(db, q), q);
  // On PostgreSQL, the index has letters and digits.
  assert.equal(isNarrow(db, "%%%"), db.dialect === "sqlite");
});

testOnBoth("the texts of a deleted task are gone with it, and do not come back", async (service) => {
  const { ctx, call, create } = service;
  const task = await create({ task: "Send the marigolds", assign_to: { email: "dana@example.com" } });
  await fillWhole(service);
  assert.equal((await textsOf(service)).length, 1);
  assert.equal((await call("DELETE", `/api/tasks/${task.id}`)).status, 204);
  assert.deepEqual(await textsOf(service), []);
  await fillWhole(service);
  assert.deepEqual(await textsOf(service), []);
  while (await mergeIndex(ctx));
  if (service.dialect === "sqlite") {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from task_words where task_words match '"mar"'`.execute(ctx.db.query);
    assert.equal(rows[0]!.count, 0);
  }
});

testOnBoth("a task that is being deleted is not put into the index", async (service) => {
  const { ctx, clock, create } = service;
  if (service.dialect === "sqlite") return;
  const task = await create();
  clock.advance(SETTLED_MS);
  const other = await create();
  await ctx.db.write(async (tx) => {
    await forUpdate(tx.dialect, tx.query.selectFrom("tasks").select("id").where("id", "=", task.id)).execute();
    assert.equal(await fillIndex(ctx), 0, "its entry waits");
    await deleteTask(tx, task.id);
  });
  clock.advance(SETTLED_MS);
  await fillWhole(service);
  assert.equal((await textsOf(service)).length, 1);
  assert.equal(other.status, "created");
});

testOnBoth("after the clock was set back, the index follows what happens then", async (service) => {
  const { ctx, clock, create } = service;
  await create();
  await fillWhole(service);
  const back = clock.now() - 60 * SETTLED_MS;
  const task_id = newId("tsk", back, 1);
  const entry = { action: "created", from_status: null, to_status: "created", actor_type: "agent", actor_email: null };
  const empty = {
    channel: null,
    verifier_reason: null,
    embed_sub: null,
    extra: null,
    agent_id: null,
    agent_name: null,
  };
  await ctx.db.write((tx) => addAuditEntry(tx, { task_id, seq: 0, ...entry, ...empty, created_at: back }));
  assert.ok((await findCandidates(ctx.db, "marigold", back))!.includes(task_id));
});

testOnBoth(
  "the index finds people by the name that they have now, and labels however they are stored",
  async (service) => {
    const { ctx, call, create } = service;
    const dana = await person(service, { display_name: "Dana Ek" });
    const hers = await create({ assign_to: { user_id: dana.user.id } });
    const labelled = await create({ labels: ['x"big" one'] });
    await fillWhole(service);
    await call("PATCH", `/api/users/${dana.user.id}`, { body: { display_name: "Dana Lindt" } });
    const find = async (q: string) => findCandidates(ctx.db.heavy, q, ctx.db.now());
    assert.deepEqual(await find("lindt"), [hers.id]);
    assert.deepEqual(await find("by:lindt"), [hers.id]);
    assert.deepEqual(await find("from:lindt"), []);
    assert.deepEqual(await find('"big"'), [labelled.id]);
    assert.deepEqual(await find('x"big"'), [labelled.id], "a quote within a word");
  },
);

testOnBoth("a service fills the index by itself", async (service) => {
  const { ctx, create } = service;
  await create({ task: "Send the marigolds" });
  service.clock.advance(SETTLED_MS);
  const index = startSearchIndex(ctx);
  while ((await textsOf(service)).length === 0) await pause();
  await index.stop();
});
