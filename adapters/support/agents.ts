import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import {
  createClient,
  nodeCallbackHandler,
  type Callback,
  type Client,
  type ListedTask,
} from "@human-task-service/client";
import { timeOutDueTasks } from "../../src/tasks/timeouts.ts";
import { listen } from "../../test/support/listen.ts";
import { person } from "../../test/support/people.ts";
import { watchProgram, type RunningProgram } from "../../test/support/program.ts";
import { ADMIN_TOKEN, PAYLOAD_KEY, WEBHOOK_KEY, testOnBoth, type TestService } from "../../test/support/service.ts";

/** A service as agents see it, and the people who answer their questions. */
export interface Surroundings {
  service: TestService;
  /** URL of the service. */
  url: string;
  client: Client;
  /** Returns every question so far, oldest first. */
  questions(): Promise<ListedTask[]>;
  /** Returns the only question so far. */
  question(): Promise<ListedTask>;
  /** Signs in and answers it, as in the dashboard. */
  answer(id: string, response: object): Promise<void>;
  /** Lets this much time pass, and ends tasks that are overdue by then. */
  pass(seconds: number): Promise<void>;
  /** Sends every callback that is due, at least one, and waits for the responses. */
  callBack(): Promise<void>;
  /** Returns the status of the last callback attempt for a task, and the number of attempts. */
  attempts(id: string): Promise<{ count: number; last: number | null }>;
}

/** Registers the same test of an agent for both databases. */
export function testAgent(name: string, run: (around: Surroundings, t: TestContext) => Promise<void>): void {
  testOnBoth(
    name,
    async (service, t) => {
      const url = await service.app.listen({ port: 0, host: "127.0.0.1" });
      const client = createClient({ baseUrl: url, token: ADMIN_TOKEN });
      const { call } = await person(service, { is_operator: true });
      const questions = async () => {
        const all: ListedTask[] = [];
        for await (const one of client.list()) all.unshift(one);
        return all;
      };
      service.ctx.deliveries.start();
      let sent = 0;
      await run(
        {
          service,
          url,
          client,
          questions,
          question: async () => {
            const all = await questions();
            if (all.length !== 1) throw new Error(`${all.length} questions were asked`);
            return all[0]!;
          },
          answer: async (id, response) => {
            const { status, text } = await call("POST", `/api/tasks/${id}/complete`, { body: { response } });
            if (status !== 200) throw new Error(`the answer was refused with ${status}: ${text}`);
          },
          pass: async (seconds) => {
            service.clock.advance(seconds * 1000);
            await timeOutDueTasks(service.ctx);
          },
          callBack: async () => {
            const attempts = async () => {
              const count = service.ctx.db.query
                .selectFrom("delivery_attempts")
                .select((eb) => eb.fn.countAll().as("count"));
              return Number((await count.executeTakeFirstOrThrow()).count);
            };
            // A due callback is held until the request that ended the task is answered.
            do {
              await nextTurn();
              await service.ctx.deliveries.turn();
              await service.ctx.deliveries.settle();
            } while ((await attempts()) === sent);
            sent = await attempts();
          },
          attempts: async (id) => {
            const path = `/api/admin/webhook-deliveries?task_id=${id}`;
            const { body } = await service.call<{ attempt_count: number; last_status_code: number | null }[]>(
              "GET",
              path,
            );
            return { count: body[0]!.attempt_count, last: body[0]!.last_status_code };
          },
        },
        t,
      );
    },
    { deliveries: { random: () => 0 } },
  );
}

/** An agent's server, which resumes runs after callbacks. Set `act` again to simulate a restart. */
export interface AgentServer {
  /** URL for callbacks. */
  url: string;
  /** The result of each callback, in order. */
  acted: unknown[];
  resumes(onCallback: (callback: Callback) => Promise<unknown>): void;
}

/** Starts it on a free port. It answers 503 until `act` is set. */
export async function startAgent(t: TestContext): Promise<AgentServer> {
  const acted: unknown[] = [];
  let handle: RequestListener = (_, response) => response.writeHead(503).end();
  const origin = await listen(t, (request, response) => handle(request, response));
  return {
    url: `${origin}/human`,
    acted,
    resumes: (onCallback) => {
      const take = nodeCallbackHandler(PAYLOAD_KEY, async (callback) => acted.push(await onCallback(callback)));
      handle = (request, response) => void take(request, response, () => response.writeHead(500).end());
    },
  };
}

/** Programs run in this folder, so that Node finds the frameworks in it, and the client above it. */
const ADAPTERS = join(import.meta.dirname, "..");
const ROOT = join(ADAPTERS, "..");

/** Returns the programs of a page in order: its fenced blocks of TypeScript. */
export function programsOf(page: string): string[] {
  const programs = [...readFileSync(page, "utf8").matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, program]) => program!);
  if (programs.length === 0) throw new Error(`${page} has no program`);
  return programs;
}

/** Returns TypeScript's errors in the programs of a page; empty if they compile. */
export async function typesOf(t: TestContext, page: string): Promise<string> {
  const folder = mkdtempSync(join(ADAPTERS, ".programs-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [number, program] of programsOf(page).entries()) writeFileSync(join(folder, `${number}.ts`), program);
  const config = {
    extends: "../tsconfig.json",
    compilerOptions: { noUnusedLocals: false },
    include: ["*.ts"],
    exclude: [],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const compiler = spawn(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", folder]);
  const said = await text(compiler.stdout);
  return said;
}

/** @param program - its source, which imports adapters by the name of their package */
export function runProgram(
  t: TestContext,
  program: string,
  around: Pick<Surroundings, "url">,
  env: Record<string, string> = {},
): RunningProgram {
  const source = program.replaceAll(
    /"@human-task-service\/adapters\/([a-z-]+)"/g,
    (_, adapter: string) => `"${pathToFileURL(join(ADAPTERS, `${adapter}.ts`)).href}"`,
  );
  return watch(t, ["--input-type=module-typescript", "--eval", source], around, env);
}

/** Runs Node in the folder of adapters, with the environment of an agent. */
export function watch(
  t: TestContext,
  args: readonly string[],
  { url }: Pick<Surroundings, "url">,
  env: Record<string, string> = {},
): RunningProgram {
  const child = spawn(process.execPath, args, {
    cwd: ADAPTERS,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      SERVICE_URL: url,
      SERVICE_ADMIN_API_TOKEN: ADMIN_TOKEN,
      WEBHOOK_KEY,
      ...env,
    },
  });
  return watchProgram(t, child);
}
