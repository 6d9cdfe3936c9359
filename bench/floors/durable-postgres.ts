/** The same as durable.ts on PostgreSQL: requests of the same turn share one `insert ... select from unnest`. */
import { randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import { Pool } from "pg";
import { listenAndReport } from "./listen.ts";

const pool = new Pool({ connectionString: process.env["SERVICE_DATABASE_URL"], max: 20 });
await pool.query("create table floor (id text primary key, idempotency_key text not null unique, body text not null)");
const INSERT = {
  name: "insert",
  text: `insert into floor (id, idempotency_key, body) select * from unnest($1::text[], $2::text[], $3::text[])
    on conflict (idempotency_key) do nothing`,
};

interface Waiting {
  body: { idempotency_key: string };
  response: ServerResponse;
}
let waiting: Waiting[] = [];

async function commitAll(): Promise<void> {
  const group = waiting;
  waiting = [];
  const ids = group.map(() => randomUUID());
  const values = [ids, group.map(({ body }) => body.idempotency_key), group.map(({ body }) => JSON.stringify(body))];
  await pool.query({ ...INSERT, values });
  for (const [i, { body, response }] of group.entries()) {
    const answer = JSON.stringify({ id: ids[i], status: "created", ...body });
    response.writeHead(201, { "content-type": "application/json", "content-length": Buffer.byteLength(answer) });
    response.end(answer);
  }
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    waiting.push({ body: JSON.parse(Buffer.concat(chunks).toString()) as Waiting["body"], response });
    if (waiting.length === 1) setImmediate(() => void commitAll());
  });
});
listenAndReport(server);
