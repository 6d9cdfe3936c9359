import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createLink } from "../../src/channels/email/links.ts";
import { readConfig } from "../../src/config.ts";
import { EMBED_ENV, PARENT } from "../../test/support/embed.ts";
import { SECRETS } from "../../test/support/processes.ts";
import { newTaskBody } from "../../test/support/service.ts";
import { startSlack } from "../../test/support/slack.ts";
import type { Run, Suite } from "../suite.ts";
import { drawnCase, type DrawnCase } from "./drawings.ts";
import { startWatched, type WatchedService } from "./service-under-watch.ts";
import { STALL_MS, TOLD_MS, workOf } from "./watch.ts";

const ADDRESS = "dana@example.com";
/** A slow rendering is done twice, with a thread start in between; this limit is many times longer. */
const PAGE_MS = 15_000;
/** While the event loop is free, every other request is answered within this time, even on a busy machine. */
const OTHERS_MS = 5_000;
/** A stall counts when the same payload causes it this often in a row. */
const TRIES = 3;

export const fuzzDrawing: Suite = {
  name: "fuzz-drawing",
  promise: "for any payload, its page and its messages arrive, and no other request waits for them",
  counts: { short: 20, long: 1_000, unit: "payloads" },
  run: async ({ seed, count, say }: Run) => {
    const slack = await startSlack();
    slack.addChannel({ name: "approvals" });
    const dataDir = mkdtempSync(join(tmpdir(), "fuzz-"));
    const service = await startWatched({
      ...EMBED_ENV,
      SERVICE_DATA_DIR: dataDir,
      SERVICE_SLACK_BOT_TOKEN: slack.token,
      SERVICE_SLACK_SIGNING_SECRET: slack.signingSecret,
      SERVICE_SLACK_API_URL: slack.apiUrl,
    });
    const violations: string[] = [];
    const violate = (problem: string) => {
      say(`violated: ${problem}`);
      violations.push(`${problem} (seed ${seed})`);
    };
    try {
      const stage = await openStage(service);
      // Let the first run compile the code.
      await stage.perform(ORDINARY);
      await stage.perform(ORDINARY);
      let longest = 0;
      let slowest = 0;
      let plain = 0;
      for (let index = 0; index < count && violations.length < 10; index++) {
        const drawn = drawnCase(seed, index);
        const done = await stage.perform(drawn);
        for (const problem of done.problems) violate(`payload ${index} (${drawn.shape}): ${problem}`);
        let stall = done.stall;
        for (let again = 1; again < TRIES && stall > STALL_MS; again++)
          stall = Math.min(stall, (await stage.perform(drawn)).stall);
        if (stall > STALL_MS)
          violate(
            `payload ${index} (${drawn.shape}) blocked the event loop for ${stall.toFixed(0)} ms, ${TRIES} times`,
          );
        longest = Math.max(longest, stall);
        slowest = Math.max(slowest, done.othersMs);
        if (done.isPlain) plain++;
      }
      const health = await service.call("GET", "/api/health");
      if (health.status !== 200) violate(`health afterwards: ${JSON.stringify(health.body)}`);
      for (const line of service.complaints([])) violate(`the log has errors: ${line.slice(0, 500)}`);
      if (slack.posts.length === 0) violate("nothing was posted in Slack, so nothing is shown about it");
      const code = await service.stop();
      if (code !== 0) violate(`the service did not stop cleanly: exit code ${code}`);
      say(
        `${plain} of ${count} were shown as plain text; longest stall ${longest.toFixed(0)} ms of its own work, other requests waited up to ${slowest.toFixed(0)} ms`,
      );
    } finally {
      await service.kill();
      await slack.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
    if (violations.length > 0) throw new Error(violations.join("\n"));
  },
};

const ORDINARY: DrawnCase = {
  shape: "ordinary",
  payload: { text: "**bold**" },
  payload_schema: { properties: { text: { format: "markdown" } } },
  form_definition: null,
};

interface Done {
  problems: string[];
  /** The longest stretch in which the event loop did nothing else, in milliseconds of its own work. */
  stall: number;
  /** The time of the slowest other request. */
  othersMs: number;
  isPlain: boolean;
}

async function openStage(service: WatchedService): Promise<{ perform(drawn: DrawnCase): Promise<Done> }> {
  const { config } = readConfig({ ...SECRETS, SERVICE_PUBLIC_URL: service.url }, () => {
    throw new Error("all secrets are given");
  });
  const { key } = (await service.call<{ key: string }>("POST", "/api/service-keys", { name: "Fuzz" })).body;
  let last = 0;
  const create = async (fields: object) =>
    service.call<{ id: string }>("POST", "/api/tasks", newTaskBody({ idempotency_key: `drawn-${++last}`, ...fields }));

  const perform = async (drawn: DrawnCase): Promise<Done> => {
    const problems: string[] = [];
    const marker = `marker-${++last}`;
    const { shape: _, payload, ...rest } = drawn;
    service.stalls();
    const notify = [`email:${ADDRESS}`, "slack:#approvals"];
    const created = await create({ ...rest, payload: { marker, ...payload }, notify });
    if (created.status !== 201)
      throw new Error(`creating a task gave ${created.status}: ${JSON.stringify(created.body)}`);
    const { id } = created.body;
    const minted = await service.call<{ embed_token: string }>(
      "POST",
      "/api/embed/tokens",
      { task_id: id, parent_origin: PARENT, sub: "fuzz" },
      { authorization: `Bearer ${key}` },
    );
    const link = createLink({ config }, id, ADDRESS);
    const embed = { headers: { authorization: `Bearer ${minted.body.embed_token}` } };
    const signal = AbortSignal.timeout(PAGE_MS);
    const open = async (name: string, url: string, init: RequestInit = {}) => {
      const answer = await fetch(url, { ...init, signal });
      const text = await answer.text();
      if (answer.status !== 200) problems.push(`${name} gave ${answer.status}`);
      if (init.method !== "HEAD" && !text.includes(marker)) problems.push(`${name} does not show the payload`);
      return text;
    };

    let isOpening = true;
    const pages = Promise.all([
      open("the email page", link),
      open("the embedded task", `${service.url}/api/embed/task`, embed),
      open("HEAD of the email page", link, { method: "HEAD" }),
      open("HEAD of the embedded task", `${service.url}/api/embed/task`, { ...embed, method: "HEAD" }),
    ]).finally(() => (isOpening = false));
    let othersMs = 0;
    const others = async () => {
      do {
        const begun = performance.now();
        const [health, other] = await Promise.all([service.call("GET", "/api/health"), create({})]);
        if (health.status !== 200 || other.status !== 201)
          problems.push(`others got ${health.status}, ${other.status}`);
        othersMs = Math.max(othersMs, performance.now() - begun);
      } while (isOpening);
    };
    const [texts] = await Promise.all([pages, others()]).catch((error: unknown): [string[], void] => {
      problems.push(`a page did not arrive: ${(error as Error).message}`);
      return [[], undefined];
    });
    if (othersMs > OTHERS_MS) problems.push(`other requests waited for ${othersMs.toFixed(0)} ms`);
    await sleep(TOLD_MS);
    const stall = Math.max(0, ...service.stalls().map(workOf));
    return { problems, stall, othersMs, isPlain: texts.some((text) => text.includes("shown as plain text")) };
  };
  return { perform };
}
