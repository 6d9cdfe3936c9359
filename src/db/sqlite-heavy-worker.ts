import { workerData } from "node:worker_threads";
import { answerCalls } from "../../threads/answer-calls.ts";
import { connect } from "./sqlite-connection.ts";
import type { HeavyAnswer, HeavyRequest } from "./sqlite-heavy.ts";

const { path } = workerData as { path: string };
const reading = connect(path, { readOnly: true });
// A checkpoint writes to the database file, so it needs a connection that is not read-only.
const copying = connect(path);
copying.database.exec("pragma synchronous = full; pragma checkpoint_fullfsync = on");

answerCalls(answer);

function answer(request: HeavyRequest): HeavyAnswer {
  try {
    if ("checkpoint" in request) {
      copying.database.exec("pragma wal_checkpoint(passive)");
      return { rows: [] };
    }
    // Rows have a null prototype, but only plain objects can be sent to a thread.
    return { rows: reading.all(request.sql, request.parameters).map((row) => ({ ...(row as object) })) };
  } catch (error) {
    // SQLite's error code is not sent to another thread by itself.
    const { errcode } = error as { errcode?: number };
    return { error: error instanceof Error ? error.message : String(error), errcode };
  }
}
