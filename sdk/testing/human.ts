import { millisecondsOf } from "./duration.ts";
import type { Rule } from "./rules.ts";
import { BASE_URL, createService, PAYLOAD_KEY, TOKEN, type TestService } from "./service.ts";
import type { TestHuman, TestHumanOptions } from "./test-human.ts";
import { createTimeline, type TestClock } from "./timeline.ts";
import { createWatchedClient } from "./watched-client.ts";

/**
 * Creates a person for the tests of an agent, who follows the rules. The first rule that matches a question counts. The
 * program under test runs the real client: its checks, keys, retries and errors.
 *
 * The code of the service checks schemas and answers. The directory is empty, no one is notified, and there are no
 * embed tokens.
 */
export function createTestHuman(
  rules: Rule | readonly Rule[] = [],
  { time = "automatic", startAt = "2026-01-31T12:00:00.000Z", deliver }: TestHumanOptions = {},
): TestHuman {
  const timeline = createTimeline({ start: new Date(startAt).getTime(), isManual: time === "manual" });
  const service = createService({ timeline, rules: [rules].flat(), deliver });
  const { polls, questions, mistakes, callbacks } = service;
  const clock = createClock(service);
  const fetchAsAnybody = service.fetchThrough(async (id, ms, signal, isAttentive) =>
    polls.hold(id, ms, signal, "anybody", isAttentive),
  );
  return {
    client: createWatchedClient(service),
    clientOptions: { baseUrl: BASE_URL, token: TOKEN, fetch: fetchAsAnybody, clock },
    clock,
    get asked() {
      return questions.all();
    },
    get lastAsked() {
      return questions.last();
    },
    untilAsked: async (count = 1) => {
      await questions.until(count);
      // The program has not learned of it yet.
      await timeline.advance(0);
      return questions.last();
    },
    unreachableFor: (duration) => service.goAway(millisecondsOf(duration)),
    payloadKey: PAYLOAD_KEY,
    callbacks: callbacks?.sent ?? [],
    mistakes: mistakes.all,
  };
}

function createClock({ timeline, mistakes }: TestService): TestClock {
  return {
    now: timeline.now,
    sleep: async (ms, signal) => timeline.sleep(ms, signal, "anybody"),
    advance: async (duration) => {
      await timeline.advance(duration);
      mistakes.requireNone();
    },
  };
}
