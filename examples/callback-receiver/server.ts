import { once } from "node:events";
import { appendFile, mkdir, open, readFile, truncate } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname } from "node:path";
import { createClient, nodeCallbackHandler, type Callback } from "@human-task-service/client";

/*
 * An agent that does not wait: it hands a decision over, with the address where it is called back, and may be shut down
 * until then. What comes is checked, written down once, and only then acknowledged: a crash in between costs a repetition,
 * not the answer.
 */

const { WEBHOOK_KEY: webhookKey, PORT = "3002", DONE_FILE = "data/callback-receiver/done.jsonl" } = process.env;
if (!webhookKey) {
  console.error("Set WEBHOOK_KEY to the output of `npm run --silent service -- webhook-key`.");
  process.exit(2);
}

await mkdir(dirname(DONE_FILE), { recursive: true });
const done = new Map((await readDone(DONE_FILE)).map(({ task_id }) => [task_id, Promise.resolve()]));

const receive = nodeCallbackHandler({ webhookKey }, async (callback) => {
  // The same callback may come again, after an answer of ours was lost on the way.
  const before = done.get(callback.task_id);
  if (before !== undefined) return before;
  const keeping = keep(callback);
  done.set(callback.task_id, keeping);
  try {
    await keeping;
  } catch (error) {
    done.delete(callback.task_id);
    throw error;
  }
  console.log(`${callback.task_id}: ${callback.status} ${JSON.stringify(callback.response)}`);
});

const server = createServer((request, response) => {
  if (request.method === "POST" && request.url === "/callback") void receive(request, response);
  else response.writeHead(404).end();
});
server.listen(Number(PORT), "127.0.0.1");
await once(server, "listening");
process.once("SIGTERM", () => server.close());

const { port } = server.address() as { port: number };
const { url } = await createClient().ask({
  task: "Publish the article?",
  payload: { title: "Waiting rooms, and what they are good for" },
  responseSchema: {
    type: "object",
    properties: { publish: { type: "boolean", title: "Publish it?" } },
    required: ["publish"],
  },
  callbackUrl: `http://127.0.0.1:${port}/callback`,
});
console.log(`Answer it here: ${url}`);

/** On the disk before anybody is told that it is kept. */
async function keep(callback: Callback): Promise<void> {
  await appendFile(DONE_FILE, `${JSON.stringify(callback)}\n`);
  const file = await open(DONE_FILE, "r+");
  await file.sync();
  await file.close();
}

async function readDone(path: string): Promise<Callback[]> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  // A last line without its end was cut off by a crash: nobody was told that it is kept, and it comes again.
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole !== text) await truncate(path, Buffer.byteLength(whole));
  return whole
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Callback);
}
