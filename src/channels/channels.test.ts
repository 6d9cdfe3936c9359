import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { createFileChannel, readMessage } from "../../test/support/file-channel/channel.ts";
import { newTaskBody, testOnBoth, type TestService } from "../../test/support/service.ts";
import { SECOND } from "../lib/time.ts";
import type { AuditEntryRecord, TaskRecord } from "../tasks/schema.ts";
import { CHANNELS } from "./registered.ts";

const folder = mkdtempSync(join(tmpdir(), "file-channel-"));
after(() => rmSync(folder, { recursive: true }));

/** A service with a channel that nothing in `src/` knows of. */
const channels = [...CHANNELS, createFileChannel(folder)];

async function sendDue({ ctx, clock }: TestService): Promise<void> {
  // What a request enqueues is held for five seconds, or until the request is answered.
  clock.advance(6 * SECOND);
  await ctx.deliveries.turn();
  await ctx.deliveries.settle();
}

testOnBoth(
  "a channel that is registered tells people, takes their answer, and shows how the task ended",
  async (service) => {
    const { call, create } = service;
    const { id } = await create({ notify: ["file:front-desk"] });
    await sendDue(service);
    const message = () => readMessage(folder, "front-desk", id);
    assert.deepEqual([message().question, message().status], ["Approve the refund?", "created"]);

    const path = message().link.pathname;
    const { text } = await call("GET", path, { token: null });
    assert.match(text, /Approve the refund\?/);
    const hidden = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const fields = hidden.map(([, name = "", value = ""]): [string, string] => [name, value]);
    const page = await call("POST", path, {
      token: null,
      raw: new URLSearchParams([...fields, ["/approved", "true"]]).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
    });
    assert.match(page.text, /Answer sent/);
    const { body: task } = await call<TaskRecord>("GET", `/api/tasks/${id}`);
    assert.deepEqual(
      [task.status, task.response, task.completed_via_channel],
      ["completed", { approved: true }, "file"],
    );
    await sendDue(service);
    assert.equal(message().status, "completed");
    const { body: trail } = await call<AuditEntryRecord[]>("GET", `/api/tasks/${id}/audit`);
    const told = trail.find(({ action }) => action === "notification_sent");
    assert.deepEqual([told?.channel, told?.extra?.["to"]], ["file", "front-desk"]);
  },
  { channels },
);

testOnBoth(
  "what a registered channel shows of a task goes when the task is deleted",
  async (service) => {
    const { id } = await service.create({ notify: ["file:archive"] });
    await sendDue(service);
    assert.ok(existsSync(join(folder, "archive", `${id}.txt`)));
    await service.call("DELETE", `/api/tasks/${id}`);
    await sendDue(service);
    assert.equal(existsSync(join(folder, "archive", `${id}.txt`)), false);
  },
  { channels },
);

testOnBoth(
  "a channel says what is wrong with a target, and messages name all channels",
  async ({ call }) => {
    const refused = async (entry: string) => {
      const { status, body } = await call<{ details: { message: string }[] }>("POST", "/api/tasks", {
        body: newTaskBody({ notify: [entry] }),
      });
      assert.equal(status, 422);
      return body.details[0]!.message;
    };
    assert.equal(await refused("file:Front Desk"), '"Front Desk" is not a desk (a to z and hyphens).');
    assert.equal(await refused("pigeon:x"), '"pigeon" is not a channel; there are "email", "slack" and "file".');
  },
  { channels },
);

testOnBoth("a channel that is not registered is refused by name", async ({ call }) => {
  const { body } = await call<{ details: { message: string }[] }>("POST", "/api/tasks", {
    body: newTaskBody({ notify: ["file:front-desk"] }),
  });
  assert.equal(body.details[0]!.message, '"file" is not a channel; there are "email" and "slack".');
});

testOnBoth("a task that names a channel which is not registered any more is for nobody there", async ({ ctx }) => {
  const gone = { channel: "pigeon", via: null, target: "roof" };
  await ctx.db.write(async (tx) => {
    assert.equal(await ctx.notifier.recipientOf(tx, gone), null);
    await ctx.notifier.enqueue(tx, { task_id: "tsk_x", project: "default", purpose: "decision", at: tx.now() }, [gone]);
  });
  assert.deepEqual(await ctx.db.query.selectFrom("deliveries").selectAll().execute(), []);
});
