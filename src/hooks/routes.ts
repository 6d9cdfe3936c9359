import type { Config } from "../config.ts";
import { ServiceError } from "../errors.ts";
import { defineRoute, mount, QUERY_ERRORS, READ_ERRORS, SIGNED_IN, WRITE_ERRORS } from "../http/route.ts";
import { OwnProjectQuery } from "../http/schema.ts";
import { sendJson } from "../http/serialization.ts";
import { Type } from "../lib/type.ts";
import type { AgentCaller } from "../people/agent-caller.ts";
import { callerOf, type Caller } from "../people/caller.ts";
import { scopeMissing } from "../tasks/access.ts";
import { answerOfFailure, answerTo, verdictOfRule } from "./answer.ts";
import { askAbout, holdFor, type AskContext } from "./ask.ts";
import { readCall } from "./call.ts";
import { noteCall, previewRules } from "./calls.ts";
import { ruleOn } from "./rules.ts";
import { HookAnswer, HookBody, PreviewRecord, PreviewRulesBody, RulesRecord, SetRulesBody } from "./schema.ts";
import { readRules, rulesOf, setRules } from "./stored-rules.ts";

const tags = ["Hooks"];

type Ctx = AskContext & { config: Config };

const claudeCodeRoute = defineRoute({
  method: "POST",
  url: "/hooks/claude-code",
  operationId: "answerClaudeCodeHook",
  summary: "Answer a hook of Claude Code",
  description:
    "Takes the body of a `PreToolUse` or `PermissionRequest` HTTP hook, asks a person where a rule of the project says so, and holds for up to `SERVICE_HOOK_HOLD_SECONDS`. For agents with the scope `ask`. What fails after that is a denial with status 200, because Claude Code goes on after an error status.",
  tags,
  credentials: ["bearer"],
  body: Type.Unsafe<HookBody>(Type.Ref("ClaudeCodeHook")),
  answers: { 200: Type.Unsafe<HookAnswer>(Type.Ref("ClaudeCodeHookAnswer")) },
  errors: [...READ_ERRORS, ...WRITE_ERRORS, "VALIDATION_FAILED"],
  config: () => ({
    answerOfError: (error, { caller, body }) => (mayAsk(caller) ? answerOfFailure(error, body) : null),
  }),
  handle: async (ctx: Ctx, request, reply) => {
    const caller = requireAsker(callerOf(request));
    const gone = new AbortController();
    const leave = () => gone.abort();
    reply.raw.once("close", leave).once("finish", () => reply.raw.off("close", leave));
    const call = readCall(request.body);
    const { event } = call;
    const ruling = await ruleOn(ctx.schemas, (await rulesOf(ctx.db, caller.project)).rules, call);
    const { decision } = ruling;
    await noteCall(ctx.db, caller, call, ruling).catch((error: unknown) =>
      ctx.log.error({ err: error }, "The call of a coding agent could not be noted"),
    );
    if (decision !== "ask") return sendJson(reply, JSON.stringify(answerTo(event, verdictOfRule(decision))));
    const asked = await askAbout(ctx, caller, call);
    // The arguments may be long, and are not needed while the call is held. An error still has to know the event.
    request.body = { hook_event_name: event } as HookBody;
    const verdict = await holdFor(ctx, caller, asked, ctx.config.hookHoldSeconds, gone.signal);
    return sendJson(reply, JSON.stringify(answerTo(event, verdict)));
  },
});

function mayAsk(caller: Caller | null): boolean {
  return caller?.kind === "agent" && caller.scopes.includes("ask");
}

/** @throws ServiceError FORBIDDEN, AGENT_SCOPE_MISSING */
function requireAsker(caller: Caller): AgentCaller {
  if (caller.kind !== "agent")
    throw new ServiceError("FORBIDDEN", { message: "Send the token of an agent: each agent has calls of its own." });
  if (!caller.scopes.includes("ask")) throw scopeMissing(["ask"]);
  return caller;
}

const getRulesRoute = defineRoute({
  method: "GET",
  url: "/hooks/rules",
  operationId: "getHookRules",
  summary: "Read the rules for hooks",
  description: "Which calls of coding agents ask a person. For operators of the project.",
  tags,
  credentials: SIGNED_IN,
  querystring: OwnProjectQuery,
  answers: { 200: Type.Unsafe<RulesRecord>(Type.Ref("HookRules")) },
  errors: [...READ_ERRORS, ...QUERY_ERRORS, "PROJECT_NOT_FOUND"],
  handle: async (ctx: Ctx, request) => readRules(ctx, callerOf(request), request.query),
});

const setRulesRoute = defineRoute({
  method: "PUT",
  url: "/hooks/rules",
  operationId: "setHookRules",
  summary: "Replace the rules for hooks",
  description: "For operators of the project.",
  tags,
  credentials: SIGNED_IN,
  needsConfirmation: true,
  querystring: OwnProjectQuery,
  body: Type.Unsafe<SetRulesBody>(Type.Ref("SetHookRules")),
  answers: { 200: Type.Unsafe<RulesRecord>(Type.Ref("HookRules")) },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "PROJECT_NOT_FOUND", "PROJECT_ARCHIVED", "HOOK_RULES_CHANGED"],
  config: () => ({ securityEvent: "project_hook_rules_set" }),
  handle: async (ctx: Ctx, request) => setRules(ctx, callerOf(request), request.query, request.body),
});

const previewRulesRoute = defineRoute({
  method: "POST",
  url: "/hooks/rules/preview",
  operationId: "previewHookRules",
  summary: "Try rules for hooks on the calls of the last week",
  description: "Changes nothing. For operators of the project.",
  tags,
  credentials: SIGNED_IN,
  querystring: OwnProjectQuery,
  body: Type.Unsafe<PreviewRulesBody>(Type.Ref("PreviewHookRules")),
  answers: { 200: Type.Unsafe<PreviewRecord>(Type.Ref("HookRulesPreview")) },
  errors: [...WRITE_ERRORS, "VALIDATION_FAILED", "PROJECT_NOT_FOUND"],
  handle: async (ctx: Ctx, request) => previewRules(ctx, callerOf(request), request.query, request.body),
});

/** Calls of tools that coding agents ask about. (beyond: MCP as it is now) */
export const hookRoutes = mount<Ctx>([claudeCodeRoute, getRulesRoute, setRulesRoute, previewRulesRoute]);

/** Shapes that other shapes refer to by name. */
export const hookShapes = [HookBody, HookAnswer, SetRulesBody, RulesRecord, PreviewRulesBody, PreviewRecord];
