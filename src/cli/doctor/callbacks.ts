import { sendCallback } from "../../callbacks/send.ts";
import { createAttemptSigner } from "../../callbacks/signature.ts";
import { isLoopback } from "../../config/hosts.ts";
import type { Config } from "../../config.ts";
import { SERVICE_COMMAND } from "../../lib/command.ts";
import { createSender } from "../../outbound/http-sender.ts";
import { newId, timeOfId } from "../../lib/ids.ts";
import { toAnswerColumns } from "../../people/accounts.ts";
import { askerOf } from "../../tasks/asker.ts";
import { outcomeOf } from "../../tasks/outcome.ts";
import { VERSION } from "../../version.ts";
import { off, ok, problem, warning, type Finding } from "../../lib/findings.ts";

/** Length of the excerpt of a receiver's response. */
const EXCERPT_CHARACTERS = 120;

/** Checks whether callbacks can be sent, and to which addresses. */
export function checkCallbacks({ payloadKey, callbacks, publicUrl }: Config): Finding {
  if (payloadKey === null) return off("callbacks", "SERVICE_PAYLOAD_KEY is not set.");
  if (!callbacks.allowPrivate)
    return ok("callbacks", "Signed. Private addresses are blocked (SERVICE_CALLBACK_ALLOW_PRIVATE).");
  const says = "Signed. Private addresses are allowed (SERVICE_CALLBACK_ALLOW_PRIVATE)";
  if (isLoopback(new URL(publicUrl).hostname)) return ok("callbacks", `${says}.`);
  return warning(
    "callbacks",
    `${says}: everyone who creates tasks can reach your network. Set it to 0 unless you need it.`,
  );
}

/** Sends one test callback, signed and guarded like any other. Its task does not exist. */
export async function tryCallback(
  { payloadKey, previous, callbacks: { allowPrivate } }: Config,
  url: string,
  signal: AbortSignal,
): Promise<Finding> {
  const name = "callback-test";
  if (payloadKey === null) return problem(name, "There is no signing key. Set SERVICE_PAYLOAD_KEY.");
  if (payloadKey.length === 0) return problem(name, "There is no signing key yet. The first start creates it.");
  const task_id = newId("tsk", Date.now(), 0);
  const sender = createSender({ version: VERSION, allowPrivate });
  try {
    const callback = { url, id: newId("dlv", Date.now(), 0), task_id, body: Buffer.from(testOutcome(task_id)) };
    const result = await sendCallback(sender, createAttemptSigner({ payloadKey, previous }), callback, signal);
    const said = (result.response_body ?? "").slice(0, EXCERPT_CHARACTERS);
    const answer = said === "" ? "" : ` It said "${said}".`;
    if (result.ok) return ok(name, `The receiver returned ${result.status} after ${result.duration_ms} ms.${answer}`);
    const next =
      result.error === "refused_address" && !allowPrivate
        ? "If this is your receiver, set SERVICE_CALLBACK_ALLOW_PRIVATE to 1."
        : `Check the receiver. To verify signatures it needs the key from \`${SERVICE_COMMAND} webhook-key\`.`;
    return problem(name, `${result.error}: ${result.message}${answer} ${next}`);
  } finally {
    await sender.close();
  }
}

function testOutcome(id: string): string {
  const task = {
    id,
    idempotency_key: `test-of-callbacks-${id}`,
    status: "cancelled",
    completed_at: null,
    timed_out_at: null,
    completed_by_email: null,
    completed_via_channel: null,
    ended_at: timeOfId(id),
    cancelled_by: null,
    cancel_reason: null,
    verification_attempt: 0,
    ...askerOf({ kind: "admin" }),
    on_behalf_of: null,
    decided_by_kind: null,
    decided_by_name: null,
    completed_by_user_id: null,
    approvals: null,
    ...toAnswerColumns(null),
  } as const;
  return outcomeOf(task, null);
}
