import assert from "node:assert/strict";
import { createRandom, type Random } from "../prove/random.ts";
import { createLink } from "../src/channels/email/links.ts";
import type { CommentRecord } from "../src/conversation/schema.ts";
import { REVIEW_PATH } from "../src/mcp-route/review.ts";
import type { AuditEntryRecord, TaskRecord, VersionRecord } from "../src/tasks/schema.ts";
import { EMBED_ENV, mint, newServiceKey } from "./support/embed.ts";
import { pause } from "./support/pause.ts";
import { person } from "./support/people.ts";
import { newPersonalToken } from "./support/personal-tokens.ts";
import { SEED } from "./support/seed.ts";
import { MANY_REQUESTS_MS } from "./support/service.ts";
import { testWithSlack, type Stage } from "./support/slack-service.ts";

/*
 * Twenty people answer a task, each on the surface where they saw it, while its asker revises it. The order in which the
 * requests begin is drawn.
 */

const ROUNDS = 4;
const POOL = "desk";
const RESPONSE = { approved: true };
const SCHEMA = { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] };
/** How many of the twenty answer where. */
const SURFACES = { dashboard: 8, email: 4, slack: 3, mcp: 3, embed: 2 } as const;
type Surface = keyof typeof SURFACES;

/** Answers what a surface showed. @returns null if it counted; otherwise what the surface said */
type Answer = () => Promise<string | null>;

const byMail = (number: number) => `mailed-${number}@example.com`;

/** Returns what twenty people do who have just seen the first version of a task. */
type Crowd = (task: TaskRecord) => Promise<{ surface: Surface; answer: Answer }[]>;

async function gather({ service, slack }: Stage): Promise<Crowd> {
  const at = async <T>(surface: Surface, one: (number: number) => Promise<T>) =>
    Promise.all(Array.from({ length: SURFACES[surface] }, (_, number) => one(number)));
  const sessions = await at("dashboard", async () => person(service, { pool: POOL }));
  const members = await at("slack", async (number) => {
    const email = `slack-${number}@example.com`;
    await person(service, { pool: POOL, email });
    return slack.addUser({ name: `slack-${number}`, email });
  });
  const assistants = await at("mcp", async () => newPersonalToken(await person(service, { pool: POOL })));
  await at("email", async (number) => person(service, { pool: POOL, email: byMail(number) }));
  const { key } = await newServiceKey(service);

  return async ({ id }) => {
    const post = slack.posts.findLast((one) => JSON.stringify(one.blocks).includes(id))!;
    const pages = await at("email", async (number) => {
      const path = new URL(createLink(service.ctx, id, byMail(number))).pathname;
      const { text } = await service.call("GET", path, { token: null });
      const hidden = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
      return { path, fields: Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value])) };
    });
    const framed = await at("embed", async (number) => mint(service, key, { task_id: id, sub: `customer-${number}` }));
    const body = { response: RESPONSE, version: 1 };
    const coded = ({ status, body: given }: { status: number; body: { error_code: string } }) =>
      status === 200 ? null : `${status} ${given.error_code}`;
    return [
      ...sessions.map(({ call }) => ({
        surface: "dashboard" as const,
        answer: async () => coded(await call("POST", `/api/tasks/${id}/complete`, { body })),
      })),
      ...framed.map(({ body: { embed_token: token } }) => ({
        surface: "embed" as const,
        answer: async () => coded(await service.call("POST", "/api/embed/task/complete", { token, body })),
      })),
      ...pages.map(({ path, fields }) => ({
        surface: "email" as const,
        answer: async () => {
          const { status } = await service.call("POST", path, {
            token: null,
            raw: new URLSearchParams({ ...fields, "/approved": "true" }).toString(),
            headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
          });
          return status === 200 ? null : `${status}`;
        },
      })),
      ...members.map((user) => ({
        surface: "slack" as const,
        answer: async () => {
          await slack.click({ user, post, action_id: "answer:choose:0", confirm: true });
          // Slack waits three seconds, and on a busy machine the work goes on after that.
          for (;;) {
            const { body: now } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
            const told = slack.posts.findLast(({ ephemeral_to }) => ephemeral_to === user.id)?.text;
            if (told !== undefined) return told;
            if (now.completed_by_slack_user_id === user.id) return null;
            await pause();
          }
        },
      })),
      ...assistants.map(({ token }) => ({
        surface: "mcp" as const,
        answer: async () => {
          const params = { name: "answer", arguments: { request_id: id, answer: RESPONSE, version: 1 } };
          const { text } = await service.call("POST", REVIEW_PATH, {
            body: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
            headers: { accept: "application/json, text/event-stream" },
            token,
          });
          return text.includes('"isError":true') ? text : null;
        },
      })),
    ];
  };
}

function shuffled<T>(random: Random, all: readonly T[]): T[] {
  const left = [...all];
  return all.map(() => left.splice(random.between(0, left.length - 1), 1)[0]!);
}

testWithSlack(
  "while twenty people answer, a revision comes before all that count or after the one that does, on every surface",
  async (stage) => {
    const { service, slack, send } = stage;
    const { call } = service;
    const random = createRandom(SEED);
    const crowd = await gather(stage);
    for (let round = 0; round < ROUNDS; round++) {
      const task = await service.create({
        response_schema: SCHEMA,
        assign_to: { pool: POOL },
        notify: ["slack:#approvals", ...Array.from({ length: SURFACES.email }, (_, i) => `email:${byMail(i)}`)],
        callback_url: "http://127.0.0.1:9/",
      });
      const path = `/api/tasks/${task.id}`;
      await send();
      slack.posts.splice(0, slack.posts.length, ...slack.posts.filter(({ ephemeral_to }) => ephemeral_to === null));
      const people = shuffled(random, await crowd(task));
      const revise = { body: { payload: { amount: 1, customer: "Dana" }, note: "Less." } };
      const revision = async () =>
        (await call<{ error_code: string }>("POST", `${path}/revise`, revise)).body.error_code;
      const place = round % 2 === 0 ? 0 : random.between(1, people.length);
      const answers = people.map(({ answer }) => answer);
      const [before, after] = [answers.slice(0, place), answers.slice(place)];
      const first = before.map(async (answer) => answer());
      const revised = revision();
      const outcomes = await Promise.all([...first, ...after.map(async (answer) => answer())]);
      const refused = await revised;

      const won = people.filter((_, i) => outcomes[i] === null);
      const seen = JSON.stringify(people.map(({ surface }, i) => [surface, outcomes[i]]));
      const { body: record } = await call<TaskRecord>("GET", path);
      const { body: trail } = await call<AuditEntryRecord[]>("GET", `${path}/audit`);
      const { body: versions } = await call<VersionRecord[]>("GET", `${path}/versions`);
      const { body: said } = await call<CommentRecord[]>("GET", `${path}/comments`);
      const { body: callbacks } = await call<object[]>("GET", `/api/admin/webhook-deliveries?task_id=${task.id}`);
      const found = {
        status: record.status,
        version: record.version,
        response: record.response,
        channel: record.completed_via_channel,
        refused,
        amounts: versions.map(({ payload }) => payload["amount"]),
        said: said.map(({ kind, version }) => [kind, version]),
        callbacks: callbacks.length,
        happened: trail.map(({ action }) => action).filter((action) => ["revised", "completed"].includes(action)),
      };
      if (won.length === 0)
        assert.deepEqual(
          found,
          {
            status: "created",
            version: 2,
            response: null,
            channel: null,
            refused: undefined,
            amounts: [12.5, 1],
            said: [["revision", 2]],
            callbacks: 0,
            happened: ["revised"],
          },
          seen,
        );
      else
        assert.deepEqual(
          found,
          {
            status: "completed",
            version: 1,
            response: RESPONSE,
            channel: won[0]!.surface,
            refused: "TASK_ALREADY_TERMINAL",
            amounts: [12.5],
            said: [],
            callbacks: 1,
            happened: ["completed"],
          },
          seen,
        );
      assert.ok(won.length <= 1, seen);
      for (const [i, { surface }] of people.entries()) {
        const outcome = outcomes[i];
        if (outcome !== null) assert.match(outcome!, won.length === 0 ? REVISED[surface] : CLOSED[surface], seen);
      }
    }
  },
  { env: EMBED_ENV, limitMs: MANY_REQUESTS_MS },
);

/** What each surface says of an answer to an earlier version, and of one that came after the end. */
const REVISED: Record<Surface, RegExp> = {
  dashboard: /^409 TASK_REVISED$/,
  embed: /^409 TASK_REVISED$/,
  email: /^409$/,
  slack: /^The request (?:has changed since\.|was revised in the meantime,).* Nothing was sent\./,
  mcp: /the request has changed, and is at version 2 now/,
};
const CLOSED: Record<Surface, RegExp> = {
  dashboard: /^409 TASK_ALREADY_TERMINAL$/,
  embed: /^409 TASK_ALREADY_TERMINAL$/,
  email: /^409$/,
  slack: /Nothing was sent\.$/,
  mcp: /The task is already closed\./,
};
