import { sendCallback } from "../../callbacks/send.ts";
import { createSigner } from "../../callbacks/signature.ts";
import { isLoopback } from "../../config/hosts.ts";
import type { Config } from "../../config.ts";
import { SERVICE_COMMAND } from "../../lib/command.ts";
import { createSender } from "../../outbound/http-sender.ts";
import { newId, timeOfId } from "../../lib/ids.ts";
import { outcomeOf } from "../../tasks/outcome.ts";
import { VERSION } from "../../version.ts";
import { off, ok, problem, warning, type Finding } from "../../lib/findings.ts";

/** What is shown of what a receiver says. */
const EXCERPT_CHARACTERS = 120;

/** Whether outcomes can be posted, and where to. */
export function checkCallbacks({ payloadKey, callbacks, publicUrl }: Config): Finding {
  if (payloadKey === null) return off("callbacks", "SERVICE_PAYLOAD_KEY is not set.");
  if (!callbacks.allowPrivate)
    return ok("callbacks", "They are signed, and refused to private addresses (SERVICE_CALLBACK_ALLOW_PRIVATE).");
  const says = "They are signed, and may go to private addresses (SERVICE_CALLBACK_ALLOW_PRIVATE)";
  if (isLoopback(new URL(publicUrl).hostname)) return ok("callbacks", `${says}.`);
  return warning("callbacks", `${says}: whoever creates tasks can reach your network. Set it to 0 unless they must.`);
}

/** Posts the outcome of a task that nobody knows, signed and guarded as every callback, once. */
export async function tryCallback(
  { payloadKey, callbacks: { allowPrivate } }: Config,
  url: string,
  signal: AbortSignal,
): Promise<Finding> {
  const name = "callback-test";
  if (payloadKey === null) return problem(name, "There is no key to sign with: set SERVICE_PAYLOAD_KEY.");
  if (payloadKey.length === 0) return problem(name, "There is no key to sign with yet: the first start makes it.");
  const task_id = newId("tsk", Date.now());
  const sender = createSender({ version: VERSION, allowPrivate });
  try {
    const callback = { url, task_id, body: Buffer.from(testOutcome(task_id)) };
    const result = await sendCallback(sender, createSigner(payloadKey), callback, signal);
    const said = (result.response_body ?? "").slice(0, EXCERPT_CHARACTERS);
    const answer = said === "" ? "" : ` It said "${said}".`;
    if (result.ok) return ok(name, `The receiver answered ${result.status} after ${result.duration_ms} ms.${answer}`);
    const next =
      result.error === "refused_address" && !allowPrivate
        ? "If it is a receiver of yours, set SERVICE_CALLBACK_ALLOW_PRIVATE to 1."
        : `Look at the receiver; one that checks signatures needs the key of \`${SERVICE_COMMAND} webhook-key\`.`;
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
  } as const;
  return outcomeOf(task, null);
}
