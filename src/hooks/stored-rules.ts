import { readStatement, type Db, type Reader } from "../db/database.ts";
import { ServiceError } from "../errors.ts";
import type { OwnProjectQuery } from "../http/schema.ts";
import { isoTime } from "../lib/time.ts";
import { requireOperatorOfSome, type Caller } from "../people/caller.ts";
import { projectForNew, projectOfOperator } from "../people/projects.ts";
import { recordSecurityEvent } from "../security/record.ts";
import { checkedRules, FIRST_RULES, type Rule } from "./rules.ts";
import type { RulesRecord, SetRulesBody } from "./schema.ts";

interface StoredRules {
  rules: readonly Rule[];
  version: number;
  updated_at: number | null;
}

const selectRules = readStatement<{ project: string }, { rules: string; version: number; updated_at: number }>(
  (query, param) =>
    query.selectFrom("hook_rules").select(["rules", "version", "updated_at"]).where("project", "=", param("project")),
);

/** Returns the rules of a project. @param project - a slug */
export async function rulesOf(reader: Reader, project: string): Promise<StoredRules> {
  const [row] = await reader.run(selectRules, { project });
  if (row === undefined) return { rules: FIRST_RULES, version: 0, updated_at: null };
  return { ...row, rules: JSON.parse(row.rules) as Rule[] };
}

/** @throws ServiceError FORBIDDEN, PROJECT_NOT_FOUND */
export async function readRules(
  { db }: { db: Db },
  caller: Caller,
  { project: asked }: OwnProjectQuery,
): Promise<RulesRecord> {
  requireOperatorOfSome(caller);
  const project = await projectOfOperator(db, caller, asked);
  return toRecord(project, await rulesOf(db, project));
}

/**
 * Replaces the rules of a project. With `version`, only if they are the ones that the caller has seen.
 * @throws ServiceError FORBIDDEN, PROJECT_NOT_FOUND, PROJECT_ARCHIVED, VALIDATION_FAILED, HOOK_RULES_CHANGED
 */
export async function setRules(
  { db }: { db: Db },
  caller: Caller,
  { project: asked }: OwnProjectQuery,
  { rules: given, version: seen }: SetRulesBody,
): Promise<RulesRecord> {
  requireOperatorOfSome(caller);
  const rules = checkedRules(given);
  return db.write(async (tx) => {
    const project = await projectOfOperator(tx, caller, asked);
    await projectForNew(tx, caller, project);
    const now = tx.now();
    const { version } = await tx.query
      .insertInto("hook_rules")
      .values({ project, rules: JSON.stringify(rules), version: 1, updated_at: now })
      .onConflict((conflict) =>
        conflict.column("project").doUpdateSet((set) => ({
          rules: set.ref("excluded.rules"),
          version: set("hook_rules.version", "+", 1),
          updated_at: now,
        })),
      )
      .returning("version")
      .executeTakeFirstOrThrow();
    if (seen != null && version !== seen + 1) throw new ServiceError("HOOK_RULES_CHANGED");
    await recordSecurityEvent(tx, {
      type: "project_hook_rules_set",
      target: { kind: "project", id: project },
      details: { rules: rules.length, version },
    });
    return toRecord(project, { rules, version, updated_at: now });
  });
}

function toRecord(project: string, { rules, version, updated_at }: StoredRules): RulesRecord {
  return { project, rules: [...rules], version, updated_at: isoTime(updated_at) };
}
