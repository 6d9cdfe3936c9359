import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { startProcess, type ServiceProcess } from "./processes.ts";

type Env = Record<string, string>;

export interface Sent {
  method?: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as a form. */
  form?: Record<string, string>;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** Whether the request was sent again, since its process was restarted. */
  isRepeated: boolean;
}

/** Processes of one service, which are restarted one after the other while clients go on. */
export interface Fleet {
  readonly size: number;
  urlOf(process: number): string;
  /** Sends a request, again if its process is restarted. @param process - left out: each in turn */
  send(path: string, sent?: Sent, process?: number): Promise<Reply>;
  /** Restarts every process with these settings, and calls `between` after each restart. */
  roll(env: Env, between?: () => Promise<void>): Promise<void>;
}

/** @param env - of every process; what `roll` gives is added to it */
export async function startFleet(t: TestContext, size: number, env: Env, first: Env): Promise<Fleet> {
  const start = async (own: Env) => startProcess({ ...env, ...own });
  const processes = await Promise.all(Array.from({ length: size }, () => start(first)));
  const urls = processes.map(({ url }) => url);
  /** Of each process: resolves once it listens. */
  const listening: Promise<unknown>[] = urls.map(() => Promise.resolve());
  let isOver = false;
  t.after(async () => {
    isOver = true;
    await Promise.all(processes.map((process) => process.kill()));
  });
  let turn = 0;

  async function send(path: string, sent: Sent = {}, process = turn++ % size): Promise<Reply> {
    for (let isRepeated = false; ; isRepeated = true) {
      await listening[process];
      try {
        const response = await fetch(urls[process] + path, requestOf(sent));
        return { status: response.status, headers: response.headers, text: await response.text(), isRepeated };
      } catch (error) {
        // The process ended in the middle of the request, so it is not the one that listens now.
        if (isOver || !(error instanceof TypeError)) throw error;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }

  async function restart(process: number, own: Env): Promise<ServiceProcess> {
    const { stop } = processes[process]!;
    const { promise, resolve, reject } = Promise.withResolvers<ServiceProcess>();
    promise.catch(() => {});
    listening[process] = promise;
    assert.equal(await stop(), 0);
    start({ ...own, SERVICE_PORT: new URL(urls[process]!).port }).then(resolve, reject);
    return promise;
  }

  return {
    size,
    urlOf: (process) => urls[process]!,
    send,
    roll: async (own, between = async () => {}) => {
      for (let process = 0; process < size; process++) {
        processes[process] = await restart(process, own);
        await between();
      }
    },
  };
}

function requestOf({ method, headers, body, form }: Sent): RequestInit {
  const isPost = body !== undefined || form !== undefined;
  return {
    method: method ?? (isPost ? "POST" : "GET"),
    redirect: "error",
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(form !== undefined && { body: new URLSearchParams(form) }),
  };
}
