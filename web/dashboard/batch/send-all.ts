import { plural, t } from "../../../languages/text.ts";
import type { Me } from "../api.ts";
import { meQuery, queryClient } from "../queries.ts";
import { dropDraft } from "../task/draft.ts";
import { toast } from "../ui/toasts.ts";
import { inParallel, PARALLEL } from "./parallel.ts";
import { canSendAgain, countRun, readRun, setRun } from "./run.ts";
import type { Run, RunItem } from "./run.ts";
import { sendAnswer } from "./send.ts";
import type { Result } from "./send.ts";
import { decidedIn } from "./words.ts";

export const WAITING: Result = { kind: "waiting" };
const NOT_BEGUN: Result = { kind: "unsent", message: t("Not sent, because an answer before it did not get through.") };

/** Sends the answers that wait, each once. */
export async function sendAll(me: Me, items: readonly RunItem[]): Promise<void> {
  const key = Symbol("run");
  setRun({ key, me, items, isSending: true });
  let hasStopped = false;
  const waiting = items.filter(({ result }) => result.kind === "waiting");
  const send = async ({ task, answer }: RunItem): Promise<void> => {
    report(key, task.id, { kind: "sending" });
    const { result, stops } = await sendAnswer(task, answer, me);
    hasStopped ||= stops;
    if (result.kind === "done" || result.kind === "counted") dropDraft(task.id);
    report(key, task.id, result);
  };
  await inParallel(waiting, PARALLEL, send, () => hasStopped || !isSignedIn(me));
  change(key, (run) => ({
    ...run,
    items: run.items.map((item) => (item.result.kind === "waiting" ? { ...item, result: NOT_BEGUN } : item)),
    isSending: false,
  }));
  if (isSignedIn(me)) sayEnd(key);
  await queryClient.invalidateQueries({ queryKey: ["tasks"] });
}

/** Says how a batch ended if the person looks at another page. */
function sayEnd(key: symbol): void {
  const run = readRun();
  if (run?.key !== key || location.pathname === "/batch") return;
  const { done, failed } = countRun(run);
  toast(
    failed === 0
      ? { message: decidedIn(done), tone: "ok" }
      : {
          message: plural(
            done,
            "{n} task decided, {failed} not: see the results in the inbox",
            "{n} tasks decided, {failed} not: see the results in the inbox",
            { failed },
          ),
          tone: "bad",
        },
  );
}

/** Sends the same answers again to the tasks that may not have received them. */
export async function sendAgain(): Promise<void> {
  const run = readRun();
  if (run === null || run.isSending) return;
  await sendAll(
    run.me,
    run.items.map((item) => (canSendAgain(item) ? { ...item, result: WAITING } : item)),
  );
}

function report(key: symbol, id: string, result: Result): void {
  change(key, (run) => ({
    ...run,
    items: run.items.map((item) => (item.task.id === id ? { ...item, result } : item)),
  }));
}

/** Changes a run, unless another one has taken its place. */
function change(key: symbol, to: (run: Run) => Run): void {
  const run = readRun();
  if (run?.key === key) setRun(to(run));
}

/** Another person may have signed in on this page. */
function isSignedIn({ user_id }: Me): boolean {
  return queryClient.getQueryData(meQuery.queryKey)?.user_id === user_id;
}
