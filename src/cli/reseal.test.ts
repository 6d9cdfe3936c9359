import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { startPatient } from "../../test/support/doctor.ts";
import type { TestService } from "../../test/support/service.ts";
import { sealFor } from "../db/sealed.ts";

const CLI = fileURLToPath(new URL("../cli.ts", import.meta.url));
const OLD = Buffer.alloc(32, 3);
const LOST = Buffer.alloc(32, 4);
/** What does not end by then hangs. */
const TEST_MS = 120_000;

/** Seals the settings of a sender with this key. */
const sealWith = (write: TestService["ctx"]["db"]["write"], secretKey: Buffer, id: string) =>
  write((tx) => {
    const keys = { secretKey, previous: { adminToken: null, secretKey: null, payloadKey: null } };
    const transport_config = sealFor(keys, "email_identities", id, JSON.stringify({ kind: "log" }));
    return tx.query.updateTable("email_identities").set({ transport_config }).where("id", "=", id).execute();
  });

void test(
  "`reseal` fails while a setting is encrypted with another key than the current one",
  { timeout: TEST_MS },
  async (t) => {
    const { service, env } = await startPatient(t, "sqlite", { SERVICE_SECRET_KEY_PREVIOUS: OLD.toString("base64") });
    const { db } = service.ctx;
    const write = db.write.bind(db);
    const addSender = async (id: string, key: Buffer) => {
      const body = { id, display_name: id, from_email: "desk@example.com", transport: "log" };
      assert.equal((await service.call("POST", "/api/channels/email/identities", { body })).status, 200);
      await sealWith(write, key, id);
    };
    /** Runs the command as an operator does. */
    const reseal = async () => {
      const child = spawn(process.execPath, [CLI, "reseal"], { env, stdio: ["ignore", "pipe", "pipe"] });
      const ended = once(child, "close") as Promise<[number | null]>;
      const [[code], out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
      return { code, said: out + err };
    };
    await addSender("desk", OLD);
    db.write = async (fn) => {
      const done = await write(fn);
      // Another process has the keys the other way round.
      await sealWith(write, OLD, "desk");
      return done;
    };
    const undone = await reseal();
    db.write = write;
    assert.equal(undone.code, 1);
    assert.match(undone.said, /current SERVICE_SECRET_KEY: 0 of 1\.\nAnother process encrypted 1 with .*_PREVIOUS/);

    const done = await reseal();
    assert.deepEqual(done, {
      code: 0,
      said: "Encrypted again: 1. Encrypted with the current SERVICE_SECRET_KEY: 1 of 1.\n",
    });

    await addSender("lost", LOST);
    const lost = await reseal();
    assert.equal(lost.code, 1);
    assert.match(lost.said, /current SERVICE_SECRET_KEY: 1 of 2\.\nNo accepted key opens .*: email_identities\/lost\./);
  },
);
