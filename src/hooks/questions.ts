import { randomUUID } from "node:crypto";
import { readStatement, writeStatement, type Db } from "../db/database.ts";
import type { HookQuestionRow } from "../db/schema.ts";
import { ServiceError } from "../errors.ts";
import { DAY } from "../lib/time.ts";

/** Which question an agent's call waits for. */
export type Question = Pick<HookQuestionRow, "agent_id" | "call_hash" | "idempotency_key">;
type OfCall = Pick<Question, "agent_id" | "call_hash">;

/** Longer than a task can stay open (30 days), and its answer is of use. */
const KEPT_MS = 32 * DAY;

const selectQuestion = readStatement<OfCall, Pick<Question, "idempotency_key">>((query, param) =>
  query
    .selectFrom("hook_questions")
    .select("idempotency_key")
    .where("agent_id", "=", param("agent_id"))
    .where("call_hash", "=", param("call_hash")),
);

const insertQuestion = writeStatement<HookQuestionRow>((query, param) =>
  query
    .insertInto("hook_questions")
    .values({
      agent_id: param("agent_id"),
      call_hash: param("call_hash"),
      idempotency_key: param("idempotency_key"),
      created_at: param("created_at"),
    })
    .onConflict((conflict) => conflict.columns(["agent_id", "call_hash"]).doNothing()),
);

const deleteQuestion = writeStatement<Question, Pick<Question, "idempotency_key">>((query, param) =>
  query
    .deleteFrom("hook_questions")
    .where("agent_id", "=", param("agent_id"))
    .where("call_hash", "=", param("call_hash"))
    .where("idempotency_key", "=", param("idempotency_key"))
    .returning("idempotency_key"),
);

/**
 * Returns the question that a call waits for, a new one if there is none. All that wait for one call get the same, in every
 * process. Its key is the idempotency key of its task, so that the task is created once.
 *
 * @throws ServiceError OVERLOADED
 */
export async function openQuestion(db: Db, call: OfCall): Promise<Question> {
  // An answer may be taken between the two statements, but not again and again.
  for (let attempt = 0; attempt < 5; attempt++) {
    const [known] = await db.run(selectQuestion, call);
    if (known !== undefined) return { ...call, ...known };
    await db.writeOne(insertQuestion, {
      ...call,
      idempotency_key: `claude-code-${randomUUID()}`,
      created_at: db.now(),
    });
  }
  throw new ServiceError("OVERLOADED");
}

/** Uses a question up. @returns whether it was still there: this happens once, over all processes */
export async function takeQuestion(db: Db, question: Question): Promise<boolean> {
  return (await db.writeOne(deleteQuestion, question)).length > 0;
}

/** Undoes `takeQuestion` for a client that left before it was answered. A question that was asked since stays. */
export async function giveQuestionBack(db: Db, question: Question): Promise<void> {
  await db.writeOne(insertQuestion, { ...question, created_at: db.now() });
}

/** Removes what no call has asked for again. */
export async function removeOldQuestions(db: Db): Promise<void> {
  await db.write((tx) =>
    tx.query
      .deleteFrom("hook_questions")
      .where("created_at", "<", tx.now() - KEPT_MS)
      .execute(),
  );
}
