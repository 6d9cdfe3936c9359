import { parentPort, workerData } from "node:worker_threads";
import { connect } from "./sqlite-connection.ts";
import type { HeavyAnswer, HeavyRequest } from "./sqlite-heavy.ts";

const { path } = workerData as { path: string };
const reading = connect(path, { readOnly: true });
// A checkpoint writes to the database file, which a read-only connection may not.
const copying = connect(path);
copying.database.exec("pragma synchronous = full; pragma checkpoint_fullfsync = on");

parentPort!.on("message", (request: HeavyRequest) => parentPort!.postMessage(answer(request)));

function answer(request: HeavyRequest): HeavyAnswer {
  try {
    if ("checkpoint" in request) {
      copying.database.exec("pragma wal_checkpoint(passive)");
      return { id: request.id, rows: [] };
    }
    // Rows have a null prototype; what crosses a thread must be plain.
    return {
      id: request.id,
      rows: reading.all(request.sql, request.parameters).map((row) => ({ ...(row as object) })),
    };
  } catch (error) {
    // SQLite's code does not cross a thread by itself.
    const { errcode } = error as { errcode?: number };
    return { id: request.id, error: error instanceof Error ? error.message : String(error), errcode };
  }
}
