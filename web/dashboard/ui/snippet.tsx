import { Tabs } from "@mantine/core";
import { useState } from "react";
import { CopyButton } from "./copy.tsx";

const BODY = {
  task: "Publish this release note?",
  payload: { text: "Faster search." },
  payload_schema: { type: "object" },
  response_schema: { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] },
  timeout_seconds: 3600,
};

/**
 * The call that creates a task, for the address of this service.
 *
 * The idempotency key is new in each view: with a fixed key, running the call again would return the old task.
 */
export function Snippet() {
  const [idempotency_key] = useState(() => `first-${crypto.randomUUID().slice(0, 8)}`);
  const base = location.origin;
  const json = JSON.stringify({ ...BODY, idempotency_key }, null, 2).replaceAll("\n", "\n  ");
  const snippets = {
    curl: `curl -s ${base}/api/tasks \\
  -H "Authorization: Bearer $SERVICE_TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '${json}'`,
    TypeScript: `import { createClient } from "@human-task-service/client";

const { awaitHuman } = createClient({
  baseUrl: "${base}",
  token: process.env.SERVICE_TOKEN,
});
const { approved } = await awaitHuman({
  task: "${BODY.task}",
  payload: ${JSON.stringify(BODY.payload)},
  responseSchema: ${JSON.stringify(BODY.response_schema, null, 2).replaceAll("\n", "\n  ")},
  timeoutSeconds: ${BODY.timeout_seconds},
  idempotencyKey: "${idempotency_key}",
});`,
    Python: `import os, requests

requests.post(
    "${base}/api/tasks",
    headers={"Authorization": f"Bearer {os.environ['SERVICE_TOKEN']}"},
    json=${JSON.stringify({ ...BODY, idempotency_key }, null, 4).replaceAll("\n", "\n    ")},
)`,
    MCP: JSON.stringify(
      { mcpServers: { human: { url: `${base}/mcp`, headers: { Authorization: "Bearer <the token of an agent>" } } } },
      null,
      2,
    ),
  };
  return (
    <Tabs defaultValue="curl">
      <Tabs.List>
        {Object.keys(snippets).map((name) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {Object.entries(snippets).map(([name, text]) => (
        <Tabs.Panel key={name} value={name}>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
          <pre className="snippet" tabIndex={0}>
            {text}
          </pre>
          <div className="row end">
            <CopyButton text={text} />
          </div>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
