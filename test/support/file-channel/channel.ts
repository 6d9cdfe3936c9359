import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isProof, PROOF_CHARACTERS, proofOf } from "../../../src/channels/action/proofs.ts";
import type { ChannelContext, ChannelType } from "../../../src/channels/channel.ts";
import { formForMail } from "../../../src/channels/email/choices.ts";
import type { Kind, Outcome } from "../../../src/deliveries/kinds.ts";
import { findPlace, setPlace } from "../../../src/deliveries/live-messages.ts";
import { schedule } from "../../../src/deliveries/schedule.ts";
import { enqueue } from "../../../src/deliveries/store.ts";
import { recordNotification } from "../../../src/tasks/audit.ts";
import { findTaskWithDocuments, type TaskWithDocuments } from "../../../src/tasks/store.ts";

/*
 * A channel that writes a file for each message. It shows everything that a new channel needs. It stores nothing of its
 * own, so it needs no migration.
 */

const SENT: Outcome = { ok: true, status_code: null, response_excerpt: null };
const nextAttemptAt = schedule([0]);

/** @param folder - contains the files of desks: `<folder>/<desk>/<task>.txt` */
export function createFileChannel(folder: string): ChannelType {
  return {
    name: "file",
    example: "file:front-desk",
    problemOf: (target) => (/^[a-z-]{1,40}$/.test(target) ? null : "is not a desk (a to z and hyphens)."),
    isRoom: () => true,
    open: (ctx) => ({
      // A desk is a room that several people use.
      recipientOf: async () => null,
      enqueue: async (tx, { task_id, purpose, at }, to) => {
        if (purpose !== "decision") return;
        for (const { target } of to)
          await enqueue(tx, {
            kind: "file",
            is_live: true,
            task_id,
            destination: target,
            origin: `file:${target}`,
            body: "{}",
            due_at: at,
          });
      },
      kinds: () => ({ file: createFileKind(ctx, folder), file_removal: createRemovalKind() }),
      door: () => ({
        channel: "file",
        path: PATH,
        again: () => "Look into the file once more.",
        gone: () => "Nobody is at this desk any more.",
        open: async (token) => {
          const [id = "", proof = ""] = token.split(".");
          if (proof.length !== PROOF_CHARACTERS || !isProof(ctx, "file_link", id, proof)) return null;
          const task = await findTaskWithDocuments(ctx.db, id);
          if (task === null) return null;
          const grant = { kind: "link", task_id: id, is_named: true } as const;
          return {
            task,
            caller: { kind: "recipient", channel: "file", person: null, email: null, account: null, grant },
          };
        },
        formOf: formForMail,
      }),
    }),
  };
}

const PATH = "/api/channels/file/action/";

/** Returns a file that is written again whenever its task changes. */
function createFileKind(ctx: ChannelContext, folder: string): Kind {
  return {
    nextAttemptAt,
    send: async (delivery) => {
      const task = await findTaskWithDocuments(ctx.db, delivery.task_id);
      if (task === null) return { ...SENT, is_needless: true };
      const place = (await findPlace(ctx.db, delivery))?.place ?? join(folder, delivery.destination, `${task.id}.txt`);
      mkdirSync(join(folder, delivery.destination), { recursive: true });
      writeFileSync(place, textOf(ctx, task));
      await setPlace(ctx.db, delivery, { place });
      return SENT;
    },
    onAbandoned: async () => {},
    onSucceeded: (tx, { id, task_id, destination }) =>
      recordNotification(tx, task_id, { channel: "file", to: destination, purpose: "decision", delivery_id: id }),
  };
}

/** Deletes the file of a deleted task. */
function createRemovalKind(): Kind {
  return {
    nextAttemptAt,
    send: async ({ body }) => {
      rmSync(body!);
      return SENT;
    },
    onAbandoned: async () => {},
  };
}

function textOf(ctx: ChannelContext, task: TaskWithDocuments): string {
  const link = `${ctx.config.publicUrl}${PATH}${task.id}.${proofOf(ctx, "file_link", task.id)}`;
  return `${task.task}\n${task.status}\n${link}\n`;
}

/** Returns the content of a file: the question, the status, and the link. */
export function readMessage(folder: string, desk: string, id: string): { question: string; status: string; link: URL } {
  const [question = "", status = "", link = ""] = readFileSync(join(folder, desk, `${id}.txt`), "utf8").split("\n");
  return { question, status, link: new URL(link) };
}
