import { setImmediate as turn } from "node:timers/promises";
import { sql } from "kysely";
import type { PatternHost } from "../../json-schema/pattern-worker-host.ts";
import { writeStatement, type Db } from "../db/database.ts";
import type { HookCallRow } from "../db/schema.ts";
import type { OwnProjectQuery } from "../http/schema.ts";
import type { JsonObject } from "../lib/json.ts";
import { DAY, isoTime } from "../lib/time.ts";
import type { AgentCaller } from "../people/agent-caller.ts";
import { requireOperatorOfSome, type Caller } from "../people/caller.ts";
import { projectOfOperator } from "../people/projects.ts";
import type { HookCall } from "./call.ts";
import { keptArguments } from "./kept-arguments.ts";
import { checkedRules, ruleOn, type Ruling } from "./rules.ts";
import type { PreviewedCall, PreviewRecord, PreviewRulesBody, RuleDecision } from "./schema.ts";
import { rulesOf } from "./stored-rules.ts";

/** For how long calls are kept, and how many different ones of a project. */
const KEPT_MS = 7 * DAY;
const KEPT_MAX = 500;
/** While there are as many, no other call is added. The hourly work makes room. */
const FULL = 2 * KEPT_MAX;
/** How many calls are compared before other requests get a turn. */
const AT_ONCE = 20;

/** Identical calls of a project are one row. */
const upsertCall = writeStatement<HookCallRow & { full: number }>((query, param) =>
  query
    .insertInto("hook_calls")
    .columns([
      "project",
      "call_hash",
      "tool",
      "arguments",
      "is_cut",
      "agent_name",
      "decision",
      "simulated",
      "count",
      "last_at",
    ])
    .expression(
      query
        .selectNoFrom([
          sql<string>`cast(${param("project")} as text)`.as("project"),
          sql<string>`cast(${param("call_hash")} as text)`.as("call_hash"),
          sql<string>`cast(${param("tool")} as text)`.as("tool"),
          sql<string>`cast(${param("arguments")} as text)`.as("arguments"),
          sql<number>`cast(${param("is_cut")} as bigint)`.as("is_cut"),
          sql<string>`cast(${param("agent_name")} as text)`.as("agent_name"),
          sql<string | null>`cast(${param("decision")} as text)`.as("decision"),
          sql<string | null>`cast(${param("simulated")} as text)`.as("simulated"),
          sql<number>`cast(${param("count")} as bigint)`.as("count"),
          sql<number>`cast(${param("last_at")} as bigint)`.as("last_at"),
        ])
        .where(
          sql<boolean>`(select count(*) from hook_calls where project = ${param("project")}) < ${param("full")}
            or exists (select 1 from hook_calls
              where project = ${param("project")} and call_hash = ${param("call_hash")})`,
        ),
    )
    .onConflict((conflict) =>
      conflict.columns(["project", "call_hash"]).doUpdateSet((set) => ({
        agent_name: set.ref("excluded.agent_name"),
        decision: set.ref("excluded.decision"),
        simulated: set.ref("excluded.simulated"),
        count: set("hook_calls.count", "+", 1),
        last_at: set.ref("excluded.last_at"),
      })),
    ),
);

/** Notes a call and what the rules said, so that operators can try rules on it. */
export async function noteCall(db: Db, agent: AgentCaller, call: HookCall, ruling: Ruling): Promise<void> {
  const { args, isCut } = keptArguments(call.input);
  await db.writeOne(upsertCall, {
    project: agent.project,
    call_hash: call.hash,
    tool: call.tool,
    arguments: JSON.stringify(args),
    is_cut: isCut ? 1 : 0,
    agent_name: agent.name,
    decision: ruling.decision,
    simulated: ruling.simulated?.decision ?? null,
    count: 1,
    last_at: db.now(),
    full: FULL,
  });
}

/**
 * Says what rules would have decided about the calls of the last week, the latest first.
 * @throws ServiceError FORBIDDEN, PROJECT_NOT_FOUND, VALIDATION_FAILED
 */
export async function previewRules(
  { db, schemas }: { db: Db; schemas: PatternHost },
  caller: Caller,
  { project: asked }: OwnProjectQuery,
  body: PreviewRulesBody,
): Promise<PreviewRecord> {
  requireOperatorOfSome(caller);
  const given = body.rules == null ? null : checkedRules(body.rules);
  const project = await projectOfOperator(db, caller, asked);
  const rules = given ?? (await rulesOf(db, project)).rules;
  const rows = await db.query
    .selectFrom("hook_calls")
    .selectAll()
    .where("project", "=", project)
    .where("last_at", ">", db.now() - KEPT_MS)
    .orderBy("last_at", "desc")
    .orderBy("call_hash")
    .limit(KEPT_MAX)
    .execute();
  const calls: PreviewedCall[] = [];
  for (const [i, row] of rows.entries()) {
    if (i % AT_ONCE === AT_ONCE - 1) await turn();
    const input = JSON.parse(row.arguments) as JsonObject;
    const { decision, rule, simulated } = await ruleOn(schemas, rules, { tool: row.tool, input });
    calls.push({
      tool: row.tool,
      arguments: input,
      is_cut: row.is_cut === 1,
      agent: row.agent_name,
      count: row.count,
      last_at: isoTime(row.last_at),
      was: { decision: row.decision as RuleDecision | null, simulated: row.simulated as RuleDecision | null },
      would: {
        decision,
        rule,
        simulated: simulated?.decision ?? null,
        simulated_rule: simulated?.rule ?? null,
      },
    });
  }
  return { project, calls };
}

/** Removes calls of more than a week ago, and of a project with too many the oldest. */
export async function removeOldCalls(db: Db): Promise<void> {
  await db.write((tx) =>
    tx.query
      .deleteFrom("hook_calls")
      .where("last_at", "<=", tx.now() - KEPT_MS)
      .execute(),
  );
  const full = await db.query
    .selectFrom("hook_calls")
    .select("project")
    .groupBy("project")
    .having((select) => select.fn.countAll(), ">", KEPT_MAX)
    .execute();
  for (const { project } of full)
    await db.write((tx) =>
      tx.query
        .deleteFrom("hook_calls")
        .where("project", "=", project)
        .where("call_hash", "not in", (query) =>
          query
            .selectFrom("hook_calls")
            .select("call_hash")
            .where("project", "=", project)
            .orderBy("last_at", "desc")
            .orderBy("call_hash")
            .limit(KEPT_MAX),
        )
        .execute(),
    );
}
