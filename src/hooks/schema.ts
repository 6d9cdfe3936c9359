import type { Static } from "typebox";
import { Json, Nullable, Text, Time } from "../http/schema.ts";
import { Type } from "../lib/type.ts";

/** The events of Claude Code that can be answered. */
export const HOOK_EVENTS = ["PreToolUse", "PermissionRequest"] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Facts about a call. They are shown, so a fact that is not text is left out, and a long one is cut. */
const Fact = (description: string) => Type.Optional(Type.Unsafe<unknown>({ description }));

/** The body that Claude Code sends. It has more fields, and newer releases add some. */
export const HookBody = Type.Object(
  {
    hook_event_name: Type.Unsafe<HookEvent>({
      type: "string",
      enum: [...HOOK_EVENTS],
      description: "The event. Others have nothing to decide.",
    }),
    tool_name: Text({ minLength: 1, maxLength: 200, description: "The tool that would run." }),
    tool_input: Json("Its arguments."),
    session_id: Fact("The session, as text."),
    cwd: Fact("The working directory, as text."),
    permission_mode: Fact("The permission mode, as text."),
    agent_type: Fact("The kind of subagent, as text."),
  },
  {
    $id: "ClaudeCodeHook",
    additionalProperties: true,
    examples: [
      {
        session_id: "abc123",
        cwd: "/home/user/my-project",
        permission_mode: "default",
        hook_event_name: "PreToolUse",
        tool_name: "Bash",
        tool_input: { command: "npm test" },
      },
    ],
  },
);
export type HookBody = Static<typeof HookBody>;

/** What Claude Code understands. `{}` decides nothing. */
export const HookAnswer = Type.Object(
  {
    hookSpecificOutput: Type.Optional(
      Json(
        "PreToolUse: `permissionDecision` (`allow`, `deny`, `ask`), `permissionDecisionReason`, `updatedInput`. PermissionRequest: `decision` with `behavior` (`allow`, `deny`), `message`, `updatedInput`. Left out: nothing is decided.",
      ),
    ),
    decision: Type.Optional(
      Type.String({ description: "`block`: the body could not be read, so the call must not run." }),
    ),
    reason: Type.Optional(Type.String({ description: "Why it must not run." })),
  },
  { $id: "ClaudeCodeHookAnswer" },
);
export type HookAnswer = Static<typeof HookAnswer>;

export const RULE_DECISIONS = ["ask", "allow", "deny"] as const;
export type RuleDecision = (typeof RULE_DECISIONS)[number];

const RULES_MAX = 100;

const ToolGlob = Text({
  minLength: 1,
  maxLength: 200,
  description: "The tool: a glob, in which `*` is any characters.",
});
const Arguments = Json(
  "By JSON Pointer into the arguments, what each must be: an object with some of `equals`, `one_of`, `glob`, `matches` (a regular expression for RE2), `over` and `under`. All must hold. An argument that is not there fulfills nothing.",
);
const RuleDecisionName = Type.Unsafe<RuleDecision>({
  type: "string",
  enum: [...RULE_DECISIONS],
  description: "`ask`: a person decides. `allow`, `deny`: the service answers at once.",
});

const RuleRequest = Type.Object(
  {
    tool: ToolGlob,
    arguments: Type.Optional(Nullable(Arguments)),
    decision: RuleDecisionName,
    simulate: Type.Optional(Nullable(Type.Boolean({ description: "It is noted, and decides nothing." }))),
  },
  { additionalProperties: true },
);
export type RuleRequest = Static<typeof RuleRequest>;

export const SetRulesBody = Type.Object(
  {
    rules: Type.Array(RuleRequest, {
      maxItems: RULES_MAX,
      description: "The first that fits decides. If none fits, nothing is decided.",
    }),
    version: Type.Optional(
      Nullable(
        Type.Integer({
          minimum: 0,
          maximum: 1_000_000_000,
          description: "The version that you have seen. If another has been stored since, nothing is replaced.",
        }),
      ),
    ),
  },
  {
    $id: "SetHookRules",
    additionalProperties: true,
    examples: [
      {
        rules: [
          { tool: "Bash", arguments: { "/command": { one_of: ["npm test", "npm run lint"] } }, decision: "allow" },
          { tool: "Bash", decision: "ask" },
        ],
        version: 1,
      },
    ],
  },
);
export type SetRulesBody = Static<typeof SetRulesBody>;

/** The rules of a project. */
export const RulesRecord = Type.Object(
  {
    project: Type.String({ description: "The project of the agents whose calls they are about." }),
    rules: Type.Array(
      Type.Object({
        tool: ToolGlob,
        arguments: Arguments,
        decision: RuleDecisionName,
        simulate: Type.Boolean({ description: "It is noted, and decides nothing." }),
      }),
      { description: "In order: the first that fits decides." },
    ),
    version: Type.Integer({ description: "How often they were stored." }),
    updated_at: Nullable(Time("When they were last stored; null: never, so every call asks.")),
  },
  { $id: "HookRules" },
);
export type RulesRecord = Static<typeof RulesRecord>;

export const PreviewRulesBody = Type.Object(
  {
    rules: Type.Optional(
      Nullable(
        Type.Array(RuleRequest, { maxItems: RULES_MAX, description: "Rules to try. Left out: those that are stored." }),
      ),
    ),
  },
  { $id: "PreviewHookRules", additionalProperties: true, examples: [{ rules: [{ tool: "Bash", decision: "ask" }] }] },
);
export type PreviewRulesBody = Static<typeof PreviewRulesBody>;

const NullableDecision = (description: string) =>
  Type.Unsafe<RuleDecision | null>({ type: ["string", "null"], enum: [...RULE_DECISIONS, null], description });
const Simulated = NullableDecision("What a simulated rule would have decided; null: none fits.");

const PreviewedCall = Type.Object({
  tool: Type.String({ description: "The tool." }),
  arguments: Json("What is kept of its arguments."),
  is_cut: Type.Boolean({ description: "A part of the arguments was not kept, so `would` may be wrong." }),
  agent: Type.String({ description: "The name of the agent that made it last." }),
  count: Type.Integer({ description: "How often the call was made." }),
  last_at: Time("When it was made last."),
  was: Type.Object({
    decision: NullableDecision("What the rules decided at the last time; null: nothing."),
    simulated: Simulated,
  }),
  would: Type.Object({
    decision: NullableDecision("What these rules decide; null: nothing."),
    rule: Nullable(Type.Integer({ description: "The number of the rule that decides, from 0." })),
    simulated: Simulated,
    simulated_rule: Nullable(Type.Integer({ description: "The number of that simulated rule, from 0." })),
  }),
});
export type PreviewedCall = Static<typeof PreviewedCall>;

/** What rules would have decided. */
export const PreviewRecord = Type.Object(
  {
    project: Type.String({ description: "The project of the agents." }),
    calls: Type.Array(PreviewedCall, { description: "The latest 500 different calls of the last seven days." }),
  },
  { $id: "HookRulesPreview" },
);
export type PreviewRecord = Static<typeof PreviewRecord>;
