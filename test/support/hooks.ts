import { setImmediate as turn } from "node:timers/promises";
import type { TestAgent } from "./agents.ts";
import type { Answer, TestService } from "./service.ts";

/** The documented body of a `PreToolUse` hook. (code.claude.com/docs/en/hooks) */
export const PRE_TOOL_USE = {
  session_id: "abc123",
  prompt_id: "550e8400-e29b-41d4-a716-446655440000",
  transcript_path: "/home/user/.claude/projects/.../transcript.jsonl",
  cwd: "/home/user/my-project",
  permission_mode: "default",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "npm test" },
} as const;

/** The documented body of a `PermissionRequest` hook. */
export const PERMISSION_REQUEST = {
  session_id: "abc123",
  transcript_path: "/Users/.../.claude/projects/.../00893aaf-19fa-41d2-8238-13269b9b3ca0.jsonl",
  cwd: "/Users/...",
  permission_mode: "default",
  hook_event_name: "PermissionRequest",
  tool_name: "Bash",
  tool_input: { command: "rm -rf node_modules", description: "Remove node_modules directory" },
  permission_suggestions: [
    {
      type: "addRules",
      rules: [{ toolName: "Bash", ruleContent: "rm -rf node_modules" }],
      behavior: "allow",
      destination: "localSettings",
    },
  ],
} as const;

export interface HookOutput {
  hookSpecificOutput?: Record<string, unknown>;
  decision?: string;
  reason?: string;
  error_code?: string;
}

/** Sends the body of a hook as Claude Code does. */
export function sendHook(agent: Pick<TestAgent, "call">, body: object): Promise<Answer<HookOutput>> {
  return agent.call<HookOutput>("POST", "/api/hooks/claude-code", { body });
}

/** Returns what is decided, in one word; "nothing" if nothing is. */
export function decisionIn({ hookSpecificOutput: output }: HookOutput): string {
  const { behavior } = (output?.["decision"] ?? {}) as { behavior?: string };
  return (output?.["permissionDecision"] as string | undefined) ?? behavior ?? "nothing";
}

/** Until `count` calls or polls are held; how long that takes does not matter. Throws if `held` is answered before. */
export async function untilHeld(
  { ctx }: TestService,
  count: number,
  held: Promise<{ text: string }> | null = null,
): Promise<void> {
  let answer: string | null = null;
  void held?.then(({ text }) => (answer = text));
  while (ctx.waiters.count() < count) {
    await turn();
    if (answer !== null) throw new Error(`The call is not held: ${String(answer)}`);
  }
}
