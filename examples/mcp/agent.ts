import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";

/*
 * What the host of a model does, with the model's part played by a script: it connects to the service's MCP endpoint, asks,
 * goes on with other work while the request is pending, and looks again until someone has answered.
 */

const { SERVICE_URL: serviceUrl = "http://localhost:3000", SERVICE_TOKEN: token } = process.env;
if (!token) {
  console.error("Set SERVICE_TOKEN to the token of an agent.");
  process.exit(2);
}

/** What each of the tools says of a request. */
const Request = z.object({
  request_id: z.string(),
  status: z.string(),
  url: z.string(),
  answer: z.record(z.string(), z.unknown()).nullable(),
  /** What people ask before they decide. */
  questions: z.array(z.object({ question_id: z.string(), text: z.string() })).optional(),
});

const client = new Client({ name: "example", version: "1.0.0" });
const endpoint = new URL("/mcp", serviceUrl);
const requestInit = { headers: { authorization: `Bearer ${token}` } };
await client.connect(new StreamableHTTPClientTransport(endpoint, { requestInit })).catch((error: unknown) => {
  console.error(
    `Cannot connect to ${endpoint.origin}: ${String(error)}. Start the service, or set SERVICE_URL to its address.`,
  );
  process.exit(1);
});

let request = await call("ask_human", {
  question: "Deploy version 2.4 to production?",
  context: { version: "2.4", changes: ["Faster search", "New invoices"], tests: "1,204 passed" },
  choices: ["deploy", "wait until Monday"],
  wait_seconds: 0,
});
console.log(`Answer it here: ${request.url}`);

while (request.status === "pending") {
  // Here a model finds out what people want to know. Until someone replies, a look at the request does not wait.
  for (const { question_id, text } of request.questions ?? []) {
    console.log(`Question: ${text}`);
    const reply = `This example knows only what it asked. Your question was: ${text}`;
    await call("reply", { request_id: request.request_id, reply_to: question_id, text: reply });
  }
  // Here an agent does what does not depend on the answer.
  request = await call("check_on_human", { request_id: request.request_id, wait_seconds: 30 });
}
console.log(`${request.status}: ${JSON.stringify(request.answer)}`);
await client.close();

async function call(name: string, args: Record<string, unknown>): Promise<z.infer<typeof Request>> {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: args });
  if (isError === true) throw new Error(content.map((part) => (part.type === "text" ? part.text : "")).join("\n"));
  return Request.parse(structuredContent);
}
