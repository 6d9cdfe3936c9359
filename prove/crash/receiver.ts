import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expectedSignature, hasStandardSignature } from "../../test/support/receiver.ts";
import { PAYLOAD_KEY } from "../../test/support/service.ts";
import { createRandom } from "../random.ts";
import { endOf, now, type End, type History, type Post, type Subject } from "./history.ts";

/** Receives callbacks during every crash of the service, gives bad answers at times, and records what arrived. */
export interface RecordingReceiver {
  /**
   * Several URLs, because the service treats each receiver separately. The number after the last `/` is the task's
   * number.
   */
  urls: string[];
  /** Sets the history that callbacks are recorded in from now on. */
  follow(history: History): void;
  /** Returns how many callbacks arrived, and how many of them were not answered 2xx. */
  figures(): { posts: number; refused: number };
  /** Callbacks that belong to no task of the history. */
  strays: string[];
  close(): Promise<void>;
}

const FIELDS =
  "task_id,idempotency_key,status,response,completed_at,timed_out_at,completed_by_email,completed_via_channel,verification_attempt,cancelled_at,cancelled_by,cancel_reason,asked_by,on_behalf_of,decided_by";

export async function startRecordingReceiver(seed: number): Promise<RecordingReceiver> {
  let history: History | null = null;
  let posts = 0;
  let refused = 0;
  const strays: string[] = [];
  const served = new WeakSet<Socket>();

  const take = async (request: IncomingMessage, response: ServerResponse, body: string) => {
    const n = Number(request.url?.slice(1));
    const subject = history?.subjects.get(n);
    const socket = request.socket;
    const isReused = served.has(socket);
    served.add(socket);
    if (!subject) {
      // A killed process of an earlier history may still have a callback in transit.
      if (!history || !(n < history.firstNumber)) strays.push(`${request.url}: ${body}`);
      return void response.end();
    }
    const random = createRandom(seed, n * 16 + subject.posts.length + 1_000_003);
    const mood = random.next();
    const errors = subject.posts.length === 0 ? 0.1 : 0.25;
    const post: Post = {
      arrivedAt: now(),
      endedAt: null,
      outcome: mood < errors ? "error" : mood < errors + 0.04 ? "cut" : "ok",
      isReused,
      body,
      problems: problemsOf(request, body, subject),
    };
    posts++;
    if (post.outcome !== "ok") refused++;
    subject.posts.push(post);
    history?.touched.add(subject);
    if (mood > 0.96) await delay(random.between(50, 900));
    post.endedAt = now();
    if (post.outcome === "cut") socket.destroy();
    else response.writeHead(post.outcome === "ok" ? 200 : 500).end("noted");
  };

  const servers = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const server = createServer((request, response) => {
        const chunks: Buffer[] = [];
        request.on("data", (chunk: Buffer) => chunks.push(chunk));
        request.on("end", () => void take(request, response, Buffer.concat(chunks).toString()));
        request.on("error", () => {});
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", 1024, resolve));
      return server;
    }),
  );
  return {
    urls: servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    follow: (one) => void (history = one),
    figures: () => ({ posts, refused }),
    strays,
    close: async () => void (await Promise.all(servers.map(closeServer))),
  };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function problemsOf({ method, headers }: IncomingMessage, body: string, { key, asker }: Subject): string[] {
  const problems: string[] = [];
  if (method !== "POST") problems.push(`sent with ${method}`);
  if (headers["content-type"] !== "application/json") problems.push(`content type ${headers["content-type"]}`);
  if (headers["x-service-signature"] !== expectedSignature(PAYLOAD_KEY, body))
    problems.push("the signature does not match the body");
  if (!hasStandardSignature(PAYLOAD_KEY, { headers, body })) problems.push("the standard signature does not match");
  try {
    const outcome = JSON.parse(body) as End & {
      task_id: string;
      idempotency_key: string;
      asked_by: { name: string };
    };
    if (Object.keys(outcome).join() !== FIELDS) problems.push(`fields ${Object.keys(outcome).join()}`);
    if (headers["x-service-task-id"] !== outcome.task_id) problems.push("the header names another task");
    if (outcome.idempotency_key !== key) problems.push(`the body has the key ${outcome.idempotency_key}`);
    if (outcome.asked_by.name !== asker) problems.push(`the body says that ${outcome.asked_by.name} asked`);
    if (endOf(outcome) === null) problems.push("the task in the body is open");
  } catch {
    problems.push("the body is not JSON");
  }
  return problems;
}
