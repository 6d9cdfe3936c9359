import { newId } from "../../src/lib/ids.ts";
import { requestBytes, type Answer, type Ask, type Pool } from "./client.ts";

/** The placeholder of eight characters that are different in each request. */
const KEY = "KKKKKKKK";
const NAME = "nnnnnnnn";

/** A request of about 1.9 KB, as schema libraries write it: an agent asks for approval of a refund. */
export const REFUND = {
  task: "Approve the refund for this customer? The agent could not decide on its own.",
  payload: {
    [`customer_${NAME}`]: "Dana Whitfield",
    [`amount_${NAME}`]: 129.9,
    currency: "EUR",
    [`reason_${NAME}`]: "The parcel arrived damaged; photographs are attached to the ticket.",
    order: { number: "2026-118-4471", placed_at: "2026-11-02T09:14:00.000Z", items: ["lamp", "bulb", "cable"] },
  },
  payload_schema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      [`customer_${NAME}`]: { type: "string", minLength: 1, description: "Who asks" },
      [`amount_${NAME}`]: { type: "number", minimum: 0, description: "What is to be paid back" },
      currency: { type: "string", enum: ["EUR", "USD", "GBP"] },
      [`reason_${NAME}`]: { type: "string", maxLength: 2000 },
      order: {
        type: "object",
        properties: {
          number: { type: "string" },
          placed_at: { type: "string", format: "date-time" },
          items: { type: "array", items: { type: "string" } },
        },
        required: ["number", "items"],
        additionalProperties: false,
      },
    },
    required: [`customer_${NAME}`, `amount_${NAME}`, "currency"],
    additionalProperties: false,
  },
  response_schema: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      approved: { type: "boolean", description: "Pay it back?" },
      [`amount_${NAME}`]: { type: "number", minimum: 0, maximum: 500 },
      [`note_${NAME}`]: { type: "string", maxLength: 500, description: "For the customer" },
    },
    required: ["approved"],
    additionalProperties: false,
  },
  timeout_seconds: 86400,
  idempotency_key: `bench-${KEY}`,
};

const CREATE_BODY = JSON.stringify(REFUND);
const CREATE = requestBytes("POST", "/api/tasks", CREATE_BODY);

export interface CreateAsks {
  /** "distinct": property names that no earlier request had. "same": one pair of schemas for all. */
  schemas: "distinct" | "same";
  /** The status of the answer: 201, except for a floor that only echoes. */
  status?: number;
}

/** Returns a function that makes requests that create tasks, each with its own key. */
export function createAsks({ schemas, status = 201 }: CreateAsks): () => Ask {
  const keys = positionsOf(CREATE, KEY);
  const names = positionsOf(CREATE, NAME);
  const run = Math.floor(Math.random() * 36 ** 3);
  let count = 0;
  return () => {
    const own = (run * 36 ** 5 + count++).toString(36).padStart(8, "0").slice(-8);
    const bytes = Buffer.from(CREATE);
    for (const at of keys) bytes.write(own, at, "latin1");
    if (schemas === "distinct") for (const at of names) bytes.write(own, at, "latin1");
    return { bytes, status, marks: [`"bench-${own}"`] };
  };
}

/** Returns a function that makes requests that each create `size` such tasks. */
export function createBatchAsks({ schemas, size }: Pick<CreateAsks, "schemas"> & { size: number }): () => Ask {
  const run = Math.floor(Math.random() * 36 ** 3);
  let count = 0;
  return () => {
    const owns = Array.from({ length: size }, () => (run * 36 ** 5 + count++).toString(36).padStart(8, "0").slice(-8));
    const tasks = owns.map((own) => {
      const body = CREATE_BODY.replace(KEY, own);
      return schemas === "distinct" ? body.replaceAll(NAME, own) : body;
    });
    const bytes = requestBytes("POST", "/api/tasks/batch", `{"tasks":[${tasks.join(",")}]}`);
    return { bytes, status: 200, marks: owns.map((own) => `"bench-${own}"`) };
  };
}

function positionsOf(bytes: Buffer, text: string): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + text.length)) found.push(at);
  return found;
}

/** Returns a request that creates a task like REFUND with these fields. */
export function createAsk(fields: Record<string, unknown> = {}): Ask {
  const idempotency_key = newId("tsk", Date.now(), 0);
  const body = JSON.stringify({ ...REFUND, idempotency_key, ...fields });
  return { bytes: requestBytes("POST", "/api/tasks", body), status: 201, marks: [`"${idempotency_key}"`] };
}

export function idOf({ body }: Answer): string {
  return /"id":"(tsk_\w+)"/.exec(body.toString("latin1"))![1]!;
}

/** Creates `count` tasks and returns their ids. */
export async function createTasks(pool: Pool, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, async () => idOf(await pool.ask(createAsk()))));
}

export function completeAsk(id: string): Ask {
  const bytes = requestBytes("POST", `/api/tasks/${id}/complete`, '{"response":{"approved":true}}');
  return { bytes, status: 200, marks: [`"id":"${id}"`, '"status":"completed"'] };
}

/** Returns a poll that is answered when the task has been completed. */
export function pollAsk(id: string): Ask {
  const bytes = requestBytes("GET", `/api/tasks/${id}/poll?timeout=60`);
  return { bytes, status: 200, marks: [`"task_id":"${id}"`, '"status":"completed"'] };
}
