import type { Action, Decision, DecisionName } from "@human-task-service/client";
import type { Outcome } from "./outcome.ts";

// What LangChain's middleware and agent inboxes ask in an interrupt, in its three spellings.

interface RequestedAction {
  name: string;
  args: Record<string, unknown>;
  description?: string;
}

/** The value of an interrupt by `humanInTheLoopMiddleware` of `langchain`. */
export interface HITLRequest {
  actionRequests: readonly RequestedAction[];
  reviewConfigs: readonly {
    actionName: string;
    allowedDecisions: readonly string[];
    argsSchema?: Record<string, unknown>;
  }[];
}

/** The same in the spelling of Python. */
export interface SnakeHITLRequest {
  action_requests: readonly RequestedAction[];
  review_configs: readonly {
    action_name: string;
    allowed_decisions: readonly string[];
    args_schema?: Record<string, unknown>;
  }[];
}

/** The older form: the value is a list of these. */
export interface HumanInterrupt {
  action_request: { action: string; args: Record<string, unknown> };
  config: { allow_ignore: boolean; allow_respond: boolean; allow_edit: boolean; allow_accept: boolean };
  description?: string;
}

/** Actions that a graph asks about, and how it takes the decisions. */
export interface Review {
  actions: readonly Action[];
  /** Returns the value that resumes the graph, in the spelling of the request. */
  respond(decisions: readonly Decision[]): unknown;
}

/** Reads the value of an interrupt; null if it asks about no actions. */
export function readReview(value: unknown): Review | null {
  if (isListOf<HumanInterrupt>(value, "action_request", "config")) return readInbox(value);
  if (hasLists<HITLRequest>(value, "actionRequests", "reviewConfigs")) {
    const configs = value.reviewConfigs.map(({ actionName, allowedDecisions, argsSchema }) => ({
      name: actionName,
      allowed: allowedDecisions,
      argsSchema,
    }));
    return reviewOf(value.actionRequests, configs, (editedAction) => ({ editedAction }));
  }
  if (!hasLists<SnakeHITLRequest>(value, "action_requests", "review_configs")) return null;
  const configs = value.review_configs.map(({ action_name, allowed_decisions, args_schema }) => ({
    name: action_name,
    allowed: allowed_decisions,
    argsSchema: args_schema,
  }));
  return reviewOf(value.action_requests, configs, (edited_action) => ({ edited_action }));
}

interface Config {
  name: string;
  allowed: readonly string[];
  argsSchema: Record<string, unknown> | undefined;
}

function reviewOf(
  requests: readonly RequestedAction[],
  configs: readonly Config[],
  edited: (action: { name: string; args: unknown }) => object,
): Review {
  return {
    actions: requests.map(({ name, args, description }, i) => {
      // There is one for each action, or one for each name.
      const config = configs[i]?.name === name ? configs[i] : configs.find((one) => one.name === name);
      const allowed = config?.allowed.filter(isDecision);
      return { name, args, description, allowed, argsSchema: config?.argsSchema };
    }),
    respond: (decisions) => ({
      decisions: decisions.map((one, i) => {
        if (one.decision === "approve") return { type: "approve" };
        if (one.decision === "edit") return { type: "edit", ...edited({ name: requests[i]!.name, args: one.args }) };
        return { type: one.decision, ...(one.message !== undefined && { message: one.message }) };
      }),
    }),
  };
}

function readInbox(requests: readonly HumanInterrupt[]): Review {
  return {
    actions: requests.map(({ action_request, config, description }) => ({
      name: action_request.action,
      args: action_request.args,
      description,
      allowed: [
        ...(config.allow_accept ? (["approve"] as const) : []),
        ...(config.allow_edit ? (["edit"] as const) : []),
        ...(config.allow_ignore ? (["reject"] as const) : []),
        ...(config.allow_respond ? (["respond"] as const) : []),
      ],
    })),
    respond: (decisions) =>
      decisions.map((one, i) => {
        if (one.decision === "approve") return { type: "accept", args: null };
        if (one.decision === "reject") return { type: "ignore", args: null };
        if (one.decision === "respond") return { type: "response", args: one.message };
        return { type: "edit", args: { action: requests[i]!.action_request.action, args: one.args } };
      }),
  };
}

const DECISIONS: ReadonlySet<string> = new Set(["approve", "edit", "reject", "respond"]);

function isDecision(name: string): name is DecisionName {
  return DECISIONS.has(name);
}

/** Returns the decisions of a task about `count` actions. No answer means that nothing may run. */
export function decisionsIn(outcome: Outcome<unknown>, count: number): readonly Decision[] {
  if (outcome.status !== "completed")
    return Array.from({ length: count }, () => ({ decision: "reject", message: outcome.reason }));
  return count === 1 ? [outcome.answer as Decision] : (outcome.answer as { decisions: Decision[] }).decisions;
}

function hasLists<T>(value: unknown, ...names: readonly (keyof T & string)[]): value is T {
  return isObject(value) && names.every((name) => isListOf(value[name]));
}

/** Returns whether a value is a list, not empty, of objects with objects of these names. */
function isListOf<T>(value: unknown, ...names: readonly (keyof T & string)[]): value is T[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every((one) => isObject(one) && names.every((name) => isObject(one[name])));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
