/**
 * The least that a durable creation costs on SQLite. It reads JSON, inserts one row under a unique key, and answers
 * with the record once the commit is on disk. All requests of the same turn of the event loop share a commit. There is
 * no validation, no schema, no audit trail and no second table.
 */
import { randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { listenAndReport } from "./listen.ts";

const database = new DatabaseSync(join(process.env["SERVICE_DATA_DIR"]!, "floor.db"));
database.exec(`
  pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 20000;
  create table tasks (id text primary key, idempotency_key text not null unique, body text not null) without rowid`);
const insert = database.prepare("insert into tasks (id, idempotency_key, body) values (?, ?, ?)");

interface Waiting {
  body: { idempotency_key: string };
  response: ServerResponse;
}
let waiting: Waiting[] = [];

function commitAll(): void {
  const group = waiting;
  waiting = [];
  const answers: string[] = [];
  database.exec("begin immediate");
  for (const { body } of group) {
    const id = randomUUID();
    insert.run(id, body.idempotency_key, JSON.stringify(body));
    answers.push(JSON.stringify({ id, status: "created", ...body }));
  }
  database.exec("commit");
  for (const [i, { response }] of group.entries()) {
    response.writeHead(201, { "content-type": "application/json", "content-length": Buffer.byteLength(answers[i]!) });
    response.end(answers[i]);
  }
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    waiting.push({ body: JSON.parse(Buffer.concat(chunks).toString()) as Waiting["body"], response });
    if (waiting.length === 1) setImmediate(commitAll);
  });
});
listenAndReport(server);
