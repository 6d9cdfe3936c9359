import type { IncomingHttpHeaders } from "node:http";
import { findActingAgent } from "../agents/acting.ts";
import type { Config } from "../config.ts";
import { unsealFrom } from "../db/sealed.ts";
import { ServiceError } from "../errors.ts";
import type { Metrics } from "../http/metrics.ts";
import { findConnection } from "../resume/connection-store.ts";
import { taskOfDelivery } from "../resume/github/delivery.ts";
import { github } from "../resume/kinds/github.ts";
import type { Fields } from "../resume/kind.ts";
import { createTask, type CreationContext } from "../tasks/create.ts";
import type { CreateTaskBody } from "../tasks/schema.ts";
import type { Asks, ReceivedWebhook } from "./schema.ts";

export type WebhookContext = CreationContext & { config: Config; metrics: Metrics };

/**
 * Takes a webhook of a GitHub App: a deployment that waits becomes a task. A redelivery finds the task that is there.
 *
 * @param id - of the connection
 * @throws ServiceError CONNECTION_NOT_FOUND, INVALID_GITHUB_SIGNATURE, MALFORMED_REQUEST, and what `createTask` throws
 */
export async function receiveGithub(
  ctx: WebhookContext,
  id: string,
  received: { headers: IncomingHttpHeaders; body: Buffer },
): Promise<ReceivedWebhook> {
  const row = await findConnection(ctx.db, id);
  if (row === null || row.kind !== github.name) throw new ServiceError("CONNECTION_NOT_FOUND");
  const secret = row.secret === null ? null : unsealFrom(ctx.config, "connections", id, row.secret);
  const connection = { address: JSON.parse(row.address) as Fields, secret };
  const of = taskOfDelivery(id, connection, received);
  switch (of.result) {
    case "unauthenticated":
      throw new ServiceError("INVALID_GITHUB_SIGNATURE", { message: of.message });
    case "invalid":
      throw new ServiceError("MALFORMED_REQUEST", { message: of.message });
    case "ignored":
      return { result: "ignored", message: of.message };
    case "task": {
      if (row.asks === null) return { result: "ignored", message: "The connection does not say who asks (`asks`)." };
      const { agent_id, ...asks } = JSON.parse(row.asks) as Asks;
      const agent = await findActingAgent(ctx.db, agent_id);
      if (agent === null)
        throw new ServiceError("AGENT_DISABLED", {
          message: "The agent of the connection is stopped, or was deleted.",
        });
      const body: CreateTaskBody = { ...of.request, ...asks };
      const { task, isReplay } = await createTask(ctx, agent, body, null);
      (isReplay ? ctx.metrics.tasksReplayed : ctx.metrics.tasksCreated).inc();
      return { result: "task", task_id: task.id };
    }
  }
}
