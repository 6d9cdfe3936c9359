import { createClient, type Client } from "../client.ts";
import type { Abortable, Question } from "../question.ts";
import { BASE_URL, TOKEN, type TestService } from "./service.ts";

/**
 * The real client over the service in memory. Time stands still while one of its calls does something, and each call
 * rejects with the first mistake of the test.
 */
export function createWatchedClient({ timeline, polls, mistakes, fetchThrough }: TestService): Client {
  /** Tasks that the program polls itself, by the number of such calls under way. */
  const polled = new Map<string, number>();
  const count = (id: string, change: 1 | -1) => polled.set(id, (polled.get(id) ?? 0) + change);
  const client = createClient({
    baseUrl: BASE_URL,
    token: TOKEN,
    serviceKey: TOKEN,
    // A call that only waits for the end would poll thousands of times for a task of some days: it is held until then.
    fetch: fetchThrough(async (id, ms, signal) => polls.hold(id, polled.get(id) ? ms : null, signal, "call")),
    clock: { now: timeline.now, sleep: async (ms, signal) => timeline.sleep(ms, signal, "call") },
  });

  const { checked } = mistakes;
  const call = async <T>(work: Promise<T>): Promise<T> => checked(timeline.busy(work, "call"));

  // Replaced in place: `awaitHuman` and `anyOf` ask and wait by these calls, each of which is counted by itself. A single
  // request is soon over, and may be a part of those.
  const own = { ...client };
  Object.assign(client, {
    awaitHuman: async (question) => checked(own.awaitHuman(question)),
    anyOf: (async (questions: readonly Question[], options?: Abortable) =>
      checked(own.anyOf(questions, options))) as Client["anyOf"],
    ask: async (question) => {
      const asked = await call(own.ask(question));
      return { ...asked, answer: async (options) => call(asked.answer(options)) };
    },
    wait: async (id, options) => call(own.wait(id, options)),
    poll: async (id, options) => {
      count(id, 1);
      try {
        return await call(own.poll(id, options));
      } finally {
        count(id, -1);
      }
    },
    get: async (id, options) => checked(own.get(id, options)),
    complete: async (id, response, options) => checked(own.complete(id, response, options)),
    cancel: async (id, options) => checked(own.cancel(id, options)),
    delete: async (id, options) => checked(own.delete(id, options)),
    audit: async (id, options) => checked(own.audit(id, options)),
  } satisfies Partial<Client>);
  return client;
}
