/** Runs in a thread of its own: loads the vendors' packages and makes the calls. `thread.ts` says why. */
import type * as Ai from "ai";
import { answerCalls } from "../../threads/answer-calls.ts";
import type { Outcome, Question } from "./thread.ts";
import type { Verdict } from "./verify.ts";

/** As much of what went wrong as a log needs. */
const SAYS_CHARACTERS_MAX = 500;

/** A verdict has a few hundred. */
const ANSWER_BYTES_MAX = 1024 * 1024;

answerCalls(ask);

/** Never rejects. */
async function ask(question: Question, signal: AbortSignal): Promise<Outcome> {
  const says = (error: unknown): string => wordsOf(error, question.access.apiKey);
  let ai: typeof Ai;
  let model: Ai.LanguageModel;
  try {
    ai = await import("ai");
    model = await modelOf(question);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException | null)?.code === "ERR_MODULE_NOT_FOUND";
    return { failed: isMissing ? "not installed" : "not asked", says: says(error) };
  }
  try {
    const { output } = await ai.generateText({
      model,
      instructions: question.instructions,
      prompt: question.prompt,
      output: ai.Output.object({ schema: ai.jsonSchema<Verdict>(VERDICT, { validate }) }),
      // The person waits, and can send it again.
      maxRetries: 0,
      abortSignal: signal,
    });
    return { verdict: output };
  } catch (error) {
    if (!ai.APICallError.isInstance(error)) return { failed: "no verdict", says: says(error) };
    const { statusCode: status } = error;
    if (status === undefined) return { failed: "not reached", says: says(error) };
    // What was answered well, and could not be read as an answer.
    if (status < 300) return { failed: "no verdict", says: says(error.cause ?? error) };
    return { failed: "status", status, says: says(error) };
  }
}

/** Loads the vendor's package on first use. It is not a dependency of the service. */
async function modelOf({ provider, access, model }: Question): Promise<Ai.LanguageModel> {
  const settings = { ...access, fetch: fetchShort };
  switch (provider) {
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).createAnthropic(settings)(model);
    case "google":
      return (await import("@ai-sdk/google")).createGoogle(settings)(model);
    // The older of the two formats, which gateways and local models speak as well.
    case "openai":
      return (await import("@ai-sdk/openai")).createOpenAI(settings).chat(model);
    case "azure":
      return (await import("@ai-sdk/azure")).createAzure(settings).chat(model);
  }
}

/** Longer responses are not verdicts and are not read to the end. */
async function fetchShort(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  let bytes = 0;
  const bounded = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > ANSWER_BYTES_MAX) throw new Error(`The answer has more than ${ANSWER_BYTES_MAX} bytes.`);
        controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(bounded ?? null, { status, statusText, headers });
}

/** Without the key, which a vendor may repeat. */
function wordsOf(error: unknown, apiKey: string): string {
  const words = error instanceof Error ? error.message : String(error);
  return words.replaceAll(apiKey, "(the key)").slice(0, SAYS_CHARACTERS_MAX);
}

const VERDICT: Parameters<typeof Ai.jsonSchema>[0] = {
  type: "object",
  properties: {
    passed: { type: "boolean", description: "Whether the answer meets the criteria." },
    reason: { type: "string", description: "One to three sentences for the person who gave the answer." },
  },
  required: ["passed", "reason"],
  additionalProperties: false,
};

/** Returns an exact verdict or none. It does not guess. */
function validate(value: unknown): { success: true; value: Verdict } | { success: false; error: Error } {
  const { passed, reason, ...more } = (typeof value === "object" && value !== null ? value : {}) as Partial<Verdict>;
  if (
    typeof passed === "boolean" &&
    typeof reason === "string" &&
    reason.trim() !== "" &&
    Object.keys(more).length === 0
  )
    return { success: true, value: { passed, reason } };
  return { success: false, error: new Error("Not a verdict.") };
}
