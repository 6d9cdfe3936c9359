import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { listen } from "./listen.ts";

interface ModelInput {
  type?: string;
  output?: unknown;
}

/**
 * Starts a vendor on loopback that speaks the format of OpenAI's Responses. Its model calls one function, in each
 * conversation with a new id, and repeats the result.
 * @returns the environment of a program that uses it
 */
export async function startModel(t: TestContext, name: string, args: object): Promise<Record<string, string>> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { input } = JSON.parse(await text(request)) as { input: ModelInput[] };
    const told = input.findLast(({ type }) => type === "function_call_output");
    const says = `It was said: ${JSON.stringify(told?.output)}`;
    const item = told
      ? {
          type: "message",
          id: "msg_1",
          role: "assistant",
          content: [{ type: "output_text", text: says, annotations: [] }],
        }
      : { type: "function_call", id: "fc_1", call_id: `call_${randomUUID()}`, name, arguments: JSON.stringify(args) };
    const usage = {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    };
    const output = [{ ...item, status: "completed" }];
    const said = {
      id: "resp_1",
      object: "response",
      created_at: 1,
      model: "model",
      status: "completed",
      output,
      usage,
    };
    response.setHeader("content-type", "application/json").end(JSON.stringify(said));
  };
  const OPENAI_BASE_URL = await listen(t, answer);
  return { OPENAI_BASE_URL, OPENAI_API_KEY: "no-key" };
}
