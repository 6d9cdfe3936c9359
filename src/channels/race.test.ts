import assert from "node:assert/strict";
import { person } from "../../test/support/people.ts";
import { startReceiver } from "../../test/support/receiver.ts";
import { liveButtons, said, testWithSlack } from "../../test/support/slack-service.ts";
import type { AuditEntryRecord, TaskRecord } from "../tasks/schema.ts";
import { createLink } from "./email/links.ts";

const TASKS = 50;
/** Rounds in which everything that is owed must have been sent. */
const ROUNDS_MAX = 60;

/** Tasks whose first answer is let pass before the others come. */
const DECIDED = 8;

/** The same in another order. */
function turned<T>(list: readonly T[], by: number): T[] {
  const at = by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

testWithSlack(
  "of 200 answers from the dashboard, Slack, mail and the API to 50 tasks, one each counts",
  async (stage) => {
    const { service, slack, send } = stage;
    const receiver = await startReceiver();
    try {
      const dana = await person(service, { email: "dana@example.com", is_operator: true });
      const member = slack.addUser({ name: "dana", email: "dana@example.com" });
      const identity = { id: "desk", display_name: "Desk", from_email: "desk@example.com", transport: "log" };
      await service.call("POST", "/api/channels/email/identities", { body: identity });
      const ids: string[] = [];
      for (let i = 0; i < TASKS; i++) {
        const { id } = await service.create({
          response_schema: {
            type: "object",
            properties: { by: { enum: ["slack", "mail", "dashboard", "api"] } },
            required: ["by"],
          },
          notify: ["slack:#approvals", "email:dana@example.com"],
          callback_url: receiver.url,
        });
        ids.push(id);
      }
      for (let round = 0; slack.posts.length < TASKS && round < ROUNDS_MAX; round++) await send();
      assert.equal(slack.posts.length, TASKS);

      const links = await Promise.all(
        ids.map(async (id) => {
          const path = new URL(createLink(service.ctx, id, "dana@example.com")).pathname;
          const { text } = await service.call("GET", path, { token: null });
          const hidden = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
          const fields = Object.fromEntries(hidden.map(([, name = "", value = ""]) => [name, value]));
          return { path, raw: new URLSearchParams({ ...fields, "/by": "1" }).toString() };
        }),
      );
      const complete = (id: string, by: string) =>
        [`/api/tasks/${id}/complete`, { body: { response: { by } } }] as const;
      const ways = ids.map((id, i) => [
        () => service.call("POST", ...complete(id, "api")),
        () => dana.call("POST", ...complete(id, "dashboard")),
        () =>
          slack.click({
            user: member,
            post: slack.posts.find((post) => said(post).includes(id))!,
            action_id: "answer:choose:0",
            confirm: true,
          }),
        () =>
          service.call("POST", links[i]!.path, {
            token: null,
            raw: links[i]!.raw,
            headers: { "content-type": "application/x-www-form-urlencoded" },
          }),
      ]);
      // Each way is the first for some tasks; for all others chance decides.
      await Promise.all(ways.slice(0, DECIDED).map(async (acts, i) => acts[i % acts.length]!()));
      await Promise.all(ways.flatMap((acts, i) => turned(acts, i)).map(async (act) => act()));

      const stale = () => slack.posts.filter((post) => post.ephemeral_to === null && liveButtons(post).length > 0);
      const isDone = () => stale().length === 0 && receiver.received.length >= TASKS;
      for (let round = 0; !isDone() && round < ROUNDS_MAX; round++) await send();
      assert.deepEqual(stale(), []);
      assert.deepEqual(receiver.received.map(({ task_id }) => task_id).toSorted(), ids.toSorted());
      const winners = new Set<string>();
      for (const id of ids) {
        const { body: task } = await service.call<TaskRecord>("GET", `/api/tasks/${id}`);
        assert.equal(task.status, "completed");
        const { by } = task.response as { by: string };
        winners.add(by);
        assert.equal(
          task.completed_via_channel,
          { api: null, dashboard: "dashboard", slack: "slack", mail: "email" }[by],
        );
        const callback = receiver.received.find(({ task_id }) => task_id === id)!;
        assert.deepEqual((JSON.parse(callback.body) as { response: unknown }).response, { by });
        const { body: audit } = await service.call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
        assert.equal(audit.filter(({ action }) => action === "completed").length, 1);
      }
      assert.equal(winners.size, 4, [...winners].join());
      assert.deepEqual(slack.failures, []);
    } finally {
      await receiver.close();
    }
  },
);
