import { ERRORS } from "../../src/errors.ts";
import type { TaskRecord } from "../../src/tasks/schema.ts";
import { newAgent, type TestAgent } from "../../test/support/agents.ts";
import { decisionIn, PRE_TOOL_USE, sendHook, type HookOutput } from "../../test/support/hooks.ts";
import type { Answer, TestService } from "../../test/support/service.ts";
import { outcomeOf, type Outcome, type UseCase } from "./use-case.ts";

/** Returns what a coding agent is told. The service answers with status 200 also if it fails, because the call must not run. */
function told(answer: Answer<HookOutput>): Outcome | "allowed" | "pending" {
  if (answer.status !== 200) return outcomeOf(answer);
  const decision = decisionIn(answer.body);
  const reason = String(answer.body.hookSpecificOutput?.["permissionDecisionReason"]);
  if (decision === "allow") return "allowed";
  const code = (["DATABASE_UNAVAILABLE", "COMMIT_UNKNOWN"] as const).find((one) =>
    reason.includes(ERRORS[one].message),
  );
  if (decision === "deny" && code !== undefined) return code;
  // It says nothing about what was stored.
  if (decision === "deny" && reason.includes("could not reach its database")) return "COMMIT_UNKNOWN";
  if (decision === "deny" && reason.startsWith("Pending, ask again")) return "pending";
  return `undeclared: ${answer.text}`;
}

/** Adds an agent. Its first use is written down beside its request, so it is made before. */
async function newCoder(service: TestService): Promise<TestAgent> {
  const agent = await newAgent(service);
  await agent.call("GET", "/api/tasks");
  return agent;
}

/** A coding agent asks about a call. However often it asks, there is one task. */
const asks: UseCase["prepare"] = async ({ service }) => {
  const agent = await newCoder(service);
  const act = async (): Promise<Outcome> => {
    const result = told(await sendHook(agent, PRE_TOOL_USE));
    return result === "pending" ? "done" : result === "allowed" ? `undeclared: ${result}` : result;
  };
  const check = async () => {
    const { body } = await agent.call<TaskRecord[]>("GET", "/api/tasks");
    return body.length === 1 ? null : `there are ${body.length} tasks`;
  };
  return { act, check };
};

/** A coding agent takes the answer about its call: once, or the person is asked again. */
const takesAnswer: UseCase["prepare"] = async ({ service }) => {
  const agent = await newCoder(service);
  const openTasks = async () => (await agent.call<TaskRecord[]>("GET", "/api/tasks?status=created")).body;
  await sendHook(agent, PRE_TOOL_USE);
  const [task] = await openTasks();
  await service.call("POST", `/api/tasks/${task!.id}/complete`, { body: { response: { decision: "approve" } } });
  let allowed = 0;
  let mayBeTaken = false;
  const act = async (): Promise<Outcome> => {
    const result = told(await sendHook(agent, PRE_TOOL_USE));
    if (result === "allowed") {
      allowed++;
      return "done";
    }
    if (result === "pending") return mayBeTaken ? "done" : "undeclared: the answer is not there";
    mayBeTaken ||= result === "COMMIT_UNKNOWN";
    return result;
  };
  const check = async () => {
    const asked = (await openTasks()).length;
    if (allowed + asked !== 1) return `it was allowed ${allowed} times, and a person is asked ${asked} times`;
    const after = told(await sendHook(agent, PRE_TOOL_USE));
    return after === "pending" ? null : `after the answer was taken, it gives ${after}`;
  };
  return { act, check };
};

interface Rules {
  rules: { tool: string }[];
  version: number;
}

/** An operator stores rules. Those that they have seen are replaced once. */
const writesRules: UseCase["prepare"] = async ({ service: { call } }) => {
  const { version } = (await call<Rules>("GET", "/api/hooks/rules")).body;
  const rules = [
    { tool: `Tool${version}`, decision: "ask" },
    { tool: "*", decision: "ask" },
  ];
  let isRepeated = false;
  const act = async () => {
    const answer = await call("PUT", "/api/hooks/rules", { body: { rules, version } });
    const result = outcomeOf(answer, isRepeated ? 409 : undefined);
    isRepeated ||= result === "COMMIT_UNKNOWN";
    return result;
  };
  const check = async () => {
    const { body } = await call<Rules>("GET", "/api/hooks/rules");
    const isStored = body.version === version + 1 && body.rules[0]?.tool === `Tool${version}`;
    return isStored ? null : `the rules are ${JSON.stringify(body)}`;
  };
  return { act, check };
};

const triesRules: UseCase["prepare"] = async ({ service: { call } }) => ({
  act: async () => outcomeOf(await call("POST", "/api/hooks/rules/preview", { body: {} })),
  check: async () => null,
});

/** What coding agents and their operators do. */
export const HOOK_CASES: readonly UseCase[] = [
  { name: "ask about a call of a tool", prepare: asks },
  { name: "take the answer about a call", prepare: takesAnswer },
  { name: "write rules for hooks", prepare: writesRules },
  { name: "try rules for hooks", prepare: triesRules },
];
