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
 * The calls that create a task, wait for its answer and print it, for the address of this service.
 *
 * The idempotency key is new in each view: with a fixed key, running the call again would return the old task.
 * @param token - of an agent, to be part of the calls; null: they read it from the environment
 */
export function Snippet({ token = null }: { token?: string | null }) {
  const [idempotency_key] = useState(() => `first-${crypto.randomUUID().slice(0, 8)}`);
  const base = location.origin;
  const json = JSON.stringify({ ...BODY, idempotency_key }, null, 2).replaceAll("\n", "\n  ");
  const setToken = token === null ? "" : `export SERVICE_TOKEN=${token}\n`;
  const snippets = {
    curl: `${setToken}ID=$(curl -s ${base}/api/tasks \\
  -H "Authorization: Bearer $SERVICE_TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '${json}' | sed -E 's/.*"id":"(tsk_[a-z0-9]+)".*/\\1/')
until curl -s "${base}/api/tasks/$ID/poll" \\
  -H "Authorization: Bearer $SERVICE_TOKEN" | grep -v '"status":"created"'
do sleep 1; done`,
    TypeScript: `// npm install @human-task-service/client
import { createClient } from "@human-task-service/client";

const { awaitHuman } = createClient({
  baseUrl: "${base}",
  token: ${token === null ? "process.env.SERVICE_TOKEN" : JSON.stringify(token)},
});
const { approved } = await awaitHuman({
  task: "${BODY.task}",
  payload: ${JSON.stringify(BODY.payload)},
  responseSchema: ${JSON.stringify(BODY.response_schema, null, 2).replaceAll("\n", "\n  ")},
  timeoutSeconds: ${BODY.timeout_seconds},
  idempotencyKey: "${idempotency_key}",
});
console.log(approved);`,
    Python: `# pip install requests
import ${token === null ? "os, " : ""}requests

human = requests.Session()
human.headers["Authorization"] = ${token === null ? `f"Bearer {os.environ['SERVICE_TOKEN']}"` : `"Bearer ${token}"`}
task = human.post("${base}/api/tasks", json=${JSON.stringify({ ...BODY, idempotency_key }, null, 4)}).json()
answer = task
while answer["status"] in ("created", "rejected"):
    answer = human.get(f"${base}/api/tasks/{task['id']}/poll").json()
print(answer["response"])`,
    MCP: JSON.stringify(
      {
        mcpServers: {
          human: {
            type: "http",
            url: `${base}/mcp`,
            headers: { Authorization: `Bearer ${token ?? "<the token of an agent>"}` },
          },
        },
      },
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
