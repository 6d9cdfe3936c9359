import { createClient, type Client } from "../client.ts";
import type { Abortable, Question } from "../question.ts";
import { BASE_URL, TOKEN, type TestService } from "./service.ts";

/**
 * Creates the real client with the service in memory. Time stops while one of its calls does something, and each call
 * rejects with the first mistake of the test.
 */
export function createWatchedClient({ timeline, polls, mistakes, fetchThrough }: TestService): Client {
  /** Tasks that the program polls itself, with the number of polls in progress. */
  const polled = new Map<string, number>();
  const count = (id: string, change: 1 | -1) => polled.set(id, (polled.get(id) ?? 0) + change);
  const client = createClient({
    baseUrl: BASE_URL,
    token: TOKEN,
    serviceKey: TOKEN,
    // A call that only waits for the end would poll thousands of times during a task of some days. So it is held until
    // the end.
    fetch: fetchThrough(async (id, ms, signal, isAttentive) =>
      polls.hold(id, polled.get(id) ? ms : null, signal, "call", isAttentive),
    ),
    clock: { now: timeline.now, sleep: async (ms, signal) => timeline.sleep(ms, signal, "call") },
  });

  const { checked } = mistakes;
  const call = async <T>(work: Promise<T>): Promise<T> => checked(timeline.busy(work, "call"));

  // Replaced in place, because `awaitHuman` and `anyOf` use these calls to ask and wait, and each is counted
  // separately. Single requests are short, and may be part of those.
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
    comments: async (id, options) => checked(own.comments(id, options)),
    comment: async (id, text, options) => checked(own.comment(id, text, options)),
    revise: async (id, revision, options) => checked(own.revise(id, revision, options)),
    versions: async (id, options) => checked(own.versions(id, options)),
    audit: async (id, options) => checked(own.audit(id, options)),
  } satisfies Partial<Client>);
  return client;
}
