import { setImmediate as nextTurn } from "node:timers/promises";
import type { TaskCounts, TaskRecord } from "../../src/tasks/schema.ts";
import type { Random } from "../random.ts";
import { ADMIN, type CallerName } from "./callers.ts";
import { untilAvailable, type Calls } from "./calls.ts";
import {
  BEFORE_END,
  nameOfKey,
  now,
  tell,
  type Event,
  type History,
  type Incarnation,
  type Subject,
} from "./history.ts";
import { checkSubject, type Rules } from "./judge.ts";
import type { Operator } from "./operator.ts";

/** Reads the state over HTTP after a crash and compares it with earlier answers. It never reads the database. */
export interface Auditor {
  /** Checks what changed since the last look, and a few tasks that did not. */
  look(): Promise<string[]>;
  /** Checks every task, the list and the counts. */
  lookAtAll(): Promise<string[]>;
}

export interface AuditorOptions {
  random: Random;
  calls: Calls;
  history: History;
  rules: Rules;
  operator: Pick<Operator, "check">;
  /** Returns the processes that are running now. */
  alive(): readonly Incarnation[];
  /** The zero of the times in printed messages. */
  since: number;
}

type Got = Awaited<ReturnType<Calls["get"]>>;

const AT_ONCE = 16;
/** How many unchanged tasks are checked again after each crash. */
const OTHERS = 20;
/** The most problems that are printed. A few usually explain the rest. */
const TOLD_MAX = 5;
const WHO = "auditor";

export function createAuditor({ random, calls, history, rules, operator, alive, since }: AuditorOptions): Auditor {
  const anybody = () => random.pick(alive());

  async function read(subject: Subject, call: Parameters<Calls["make"]>[3]): Promise<Event> {
    const event = await untilAvailable(async () => calls.make(anybody(), WHO, subject, call));
    if (event.status === 503) calls.unexpected.push(`${call.name} of number ${subject.n} stays 503`);
    if (event.status === null)
      calls.unexpected.push(`the auditor got no answer to ${call.name} of number ${subject.n}`);
    return event;
  }

  async function readTrail(subject: Subject): Promise<void> {
    const { seen } = await read(subject, { name: "trail" });
    // The task may have timed out since it was read.
    const isEnded = seen?.trail?.some(({ action }) => !BEFORE_END.has(action)) ?? false;
    if (isEnded && !subject.events.some((event) => event.seen?.task?.end)) await read(subject, { name: "read" });
  }

  async function readTask(subject: Subject): Promise<void> {
    // An unacknowledged creation may have happened; sending it again resolves that. Some are left unresolved for later.
    if (subject.id === null) {
      if (random.chance(0.4)) return;
      await read(subject, { name: "create", version: 0 });
      if (subject.id === null) return;
    } else await read(subject, { name: "read" });
    await readTrail(subject);
    if (subject.hasCallback || random.chance(0.1)) await read(subject, { name: "owed" });
  }

  async function readAll(
    subjects: readonly Subject[],
    readOne: (subject: Subject) => Promise<void>,
  ): Promise<string[]> {
    const queue = subjects.values();
    const problems: string[] = [];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const subject of queue) {
          await readOne(subject);
          const found = checkSubject(subject, rules);
          if (found.length > 0)
            problems.push(`${found.map((one) => `- ${one}`).join("\n  ")}\n  ${tell(subject, since, history.orders)}`);
        }
      }),
    );
    return [...few(calls.unexpected.splice(0), "answers"), ...few(problems, "tasks")];
  }

  const few = (all: readonly string[], what: string): string[] =>
    all.length <= TOLD_MAX ? [...all] : [...all.slice(0, TOLD_MAX), `... and ${all.length - TOLD_MAX} more ${what}.`];

  const counts = async () => JSON.parse((await calls.get(anybody(), "/api/tasks/counts")).text) as TaskCounts;

  /** Reads every page of the list; each row is one sighting of its task. */
  async function readList(): Promise<{ listed: Map<string, Subject>; open: number; problems: string[] }> {
    const listed = new Map<string, Subject>();
    const problems: string[] = [];
    let open = 0;
    let path: string | null = "/api/tasks?limit=200&include=schemas";
    while (path !== null) {
      const startedAt = now();
      const to: Incarnation = anybody();
      const { headers, text }: Got = await calls.get(to, path);
      const endedAt = now();
      for (const row of JSON.parse(text) as TaskRecord[]) {
        const subject = history.byKey.get(nameOfKey(row.asked_by.name as CallerName, row.idempotency_key));
        if (!subject) problems.push(`the list has a task that no client created: ${JSON.stringify(row).slice(0, 300)}`);
        else if (listed.has(row.id)) problems.push(`the list has ${row.id} twice`);
        else {
          const event: Event = {
            call: "list",
            number: 0,
            who: WHO,
            by: ADMIN,
            to,
            startedAt,
            endedAt,
            status: 200,
            seen: calls.toSeen(subject, row),
          };
          subject.events.push(event);
          subject.id ??= row.id;
          listed.set(row.id, subject);
          if (row.status === "created") open++;
        }
      }
      path = /<([^>]+)>; rel="next"/.exec(String(headers["link"] ?? ""))?.[1] ?? null;
      await nextTurn();
    }
    return { listed, open, problems };
  }

  return {
    look: async () => {
      const problems = await operator.check(false);
      const subjects = [...history.touched];
      const all = [...history.subjects.keys()];
      for (let i = 0; i < OTHERS && all.length > 0; i++) subjects.push(history.subjects.get(random.pick(all))!);
      history.touched.clear();
      const touched = [...new Set(subjects)].filter(({ events }) => events.length > 0);
      return [...problems, ...(await readAll(touched, readTask))];
    },
    lookAtAll: async () => {
      history.touched.clear();
      const stops = await operator.check(true);
      const before = await counts();
      const { listed, open, problems } = await readList();
      problems.push(...stops);
      const after = await counts();
      // Some tasks time out during the check; nothing else changes the counts.
      if (open > before.open || open < after.open)
        problems.push(`${open} open tasks are listed, but the count was ${before.open} before and ${after.open} after`);
      const all = [...history.subjects.values()];
      for (const { id, key, isDeleted } of all)
        if (id !== null && !isDeleted && !listed.has(id)) problems.push(`the list is missing ${id} (${key})`);
      problems.push(
        ...(await readAll(
          all.filter(({ id }) => id !== null),
          async (subject) => {
            if (!listed.has(subject.id!)) await read(subject, { name: "read" });
            await readTrail(subject);
            if (!subject.hasCallback) return;
            const { seen } = await read(subject, { name: "owed" });
            const id = seen?.owed?.[0]?.id;
            if (id !== undefined) await read(subject, { name: "owed", delivery: id });
          },
        )),
      );
      return problems;
    },
  };
}
