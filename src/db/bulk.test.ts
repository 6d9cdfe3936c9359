import assert from "node:assert/strict";
import { test } from "node:test";
import { ServiceError } from "../errors.ts";
import { sendingAgain } from "./bulk.ts";

void test("what can be repeated is sent once more when its connection breaks, and whatever becomes of that, the commit stays unknown", async () => {
  const send = async (answers: readonly (ServiceError | string)[]) => {
    let sent = 0;
    const result = await sendingAgain(async () => {
      const answer = answers[sent++]!;
      if (answer instanceof ServiceError) throw answer;
      return answer;
    }).catch((error: unknown) => error);
    return { sent, result };
  };
  const unknown = new ServiceError("COMMIT_UNKNOWN", { cause: new Error("Connection terminated unexpectedly") });
  assert.deepEqual(await send([unknown, "written"]), { sent: 2, result: "written" });
  const lost = await send([unknown, new ServiceError("DATABASE_UNAVAILABLE")]);
  assert.deepEqual([lost.sent, lost.result], [2, unknown]);
  const silent = new ServiceError("COMMIT_UNKNOWN", { cause: new Error("Query read timeout") });
  assert.deepEqual(await send([silent, "written"]), { sent: 1, result: silent });
  const refused = new ServiceError("DATABASE_UNAVAILABLE");
  assert.deepEqual(await send([refused, "written"]), { sent: 1, result: refused });
});
