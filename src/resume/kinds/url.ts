import { Text } from "../../http/schema.ts";
import { Type } from "../../lib/type.ts";
import type { Answer, Meaning, ResumeKind } from "../kind.ts";
import { orDoneAlready, readStatus, type OwnStatuses } from "../statuses.ts";

/** What an error of a server means that says in its body what its status leaves open. */
interface Sentence {
  text: string;
  meaning: Meaning;
  message: string;
}

/**
 * n8n: `packages/cli/src/webhooks/waiting-webhooks.ts`. Windmill: `resume_suspended_job_internal` of `windmill-api`, which
 * answers 500 in each case.
 */
const SENTENCES: readonly Sentence[] = [
  // The execution is on its way to the Wait node, or has left it.
  { text: "is running already", meaning: "later", message: "The execution of n8n runs, and does not wait." },
  { text: "does not contain a waiting webhook", meaning: "gone", message: "The execution of n8n waits elsewhere." },
  { text: "has finished with error", meaning: "gone", message: "The execution of n8n has failed." },
  { text: "has finished already", meaning: "gone", message: "The execution of n8n has finished." },
  { text: "resume request already sent", meaning: "done_already", message: "The step of Windmill was resumed before." },
  { text: "parent flow not in queue", meaning: "gone", message: "The flow of Windmill has ended." },
  { text: "Invalid signature", meaning: "gone", message: "Windmill did not make this address, or changed its key." },
];

/**
 * An address that resumes whatever made it, and carries its own permission: waitpoints of Trigger.dev, awakeables of Restate,
 * Wait nodes of n8n, approvals of Windmill, webhooks of Vercel Workflow. (docs/resume/url.md)
 */
export const url: ResumeKind = {
  name: "url",
  title: "URL",
  connection: null,
  address: Type.Object({
    url: Text({ minLength: 1, maxLength: 2048, description: "Gets a POST with the outcome. It is stored encrypted." }),
  }),
  secretFields: ["url"],
  resume: async (attempt, http) => {
    const { address, value, now } = attempt;
    const to = address["url"] as string;
    const answer = await http({
      url: to,
      headers: { "Content-Type": "application/json" },
      body: Buffer.from(value),
    });
    const resumed = await orDoneAlready(readStatus("The receiver", answer, now, meaningsOf(answer)), attempt);
    return resumed.meaning === "gone" && mayCome(to, answer) ? { ...resumed, meaning: "later" } : resumed;
  },
};

function meaningsOf({ status, body }: Answer): OwnStatuses {
  const said = status < 400 ? undefined : SENTENCES.find(({ text }) => body.includes(text));
  if (said !== undefined) return { [status]: said };
  const message = `The receiver answered ${status}: it does not accept this address.`;
  return {
    401: { meaning: "later", message },
    403: { meaning: "later", message },
    409: { meaning: "done_already", message: "The receiver answered 409: it was resumed before." },
  };
}

/**
 * Whether something may wait there later. An execution of n8n may still come to the node of the address. A webhook of
 * Vercel Workflow answers 404 for every error, also for one of its storage. (`createWebhookBundle`)
 */
function mayCome(to: string, { status, body }: Answer): boolean {
  if (status !== 404) return false;
  return body.includes("does not contain a waiting webhook") || to.includes("/.well-known/workflow/v1/webhook/");
}
