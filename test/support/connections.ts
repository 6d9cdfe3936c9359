import type { ConnectionRecord } from "../../src/connections/schema.ts";
import type { TestService } from "./service.ts";

let made = 0;

/** Creates a connection to a server of Temporal that need not be there. */
export async function newConnection(
  { call }: Pick<TestService, "call">,
  fields: Record<string, unknown> = {},
): Promise<ConnectionRecord> {
  const body = {
    name: `temporal-${++made}`,
    kind: "temporal",
    address: { url: "http://127.0.0.1:9", namespace: "default" },
    secret: "a-key",
    ...fields,
  };
  const answer = await call<ConnectionRecord>("POST", "/api/connections", { body });
  if (answer.status !== 201) throw new Error(`creating a connection gave ${answer.status}: ${answer.text}`);
  return answer.body;
}
