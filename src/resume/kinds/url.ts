import { Type } from "typebox";
import { Text } from "../../http/schema.ts";
import type { ResumeKind } from "../kind.ts";
import { orDoneAlready, readStatus } from "../statuses.ts";

/**
 * An address that resumes whatever made it, and carries its own permission: waitpoints of Trigger.dev, awakeables of Restate,
 * Wait nodes of n8n, approvals of Windmill, webhooks of Vercel Workflow.
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
    const answer = await http({
      url: address["url"] as string,
      headers: { "Content-Type": "application/json" },
      body: Buffer.from(value),
    });
    const own = {
      409: { meaning: "done_already", message: "The receiver answered 409: it was resumed before." },
    } as const;
    return orDoneAlready(readStatus("The receiver", answer, now, own), attempt);
  },
};
