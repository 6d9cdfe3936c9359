import type { Config } from "../config.ts";
import type { Db } from "../db/database.ts";
import { listSealed, resealRow, sealedWith } from "../db/sealed.ts";
import { defineRoute, mount, SIGNED_IN, WRITE_ERRORS } from "../http/route.ts";
import { Type } from "../lib/type.ts";
import { callerOf, requireOperator, type Caller } from "../people/caller.ts";
import { recordSecurityEvent } from "../security/record.ts";

interface ResealContext {
  config: Config;
  db: Db;
}

/** The result of a reseal. */
export interface Resealed {
  resealed: number;
  current: number;
  left: number;
  unreadable: string[];
}

const Resealed = Type.Object({
  resealed: Type.Integer({ description: "Settings that this call encrypted again." }),
  current: Type.Integer({ description: "All settings that are encrypted with the current key now." }),
  left: Type.Integer({
    description:
      "Settings that are encrypted with the previous key: another process encrypted them with it during this call. Give all processes the same keys, and call again.",
  }),
  unreadable: Type.Array(Type.String(), {
    description: "Table and id of settings that no accepted key opens. Enter them again.",
  }),
});

const resealRoute = defineRoute({
  method: "POST",
  url: "/api/admin/reseal",
  operationId: "resealSettings",
  summary: "Encrypt stored settings again",
  description:
    "After `SERVICE_SECRET_KEY` was rotated: encrypts the stored settings of email and Slack with the current key. May be repeated.",
  tags: ["Operations"],
  credentials: SIGNED_IN,
  answers: { 200: Type.Unsafe<Resealed>(Resealed) },
  errors: [...WRITE_ERRORS],
  handle: async (ctx: ResealContext, request) => reseal(ctx, callerOf(request)),
});

export const resealRoutes = mount([resealRoute]);

/** A setting may change while it is sealed again. Processes that take each other's current key for the previous one never finish. */
const PASSES_MAX = 5;

/**
 * Seals with the current key what the previous one has sealed, with the event in the same transaction. Only unchanged rows
 * are written. So it may run in several processes at once, beside people who change settings, and again after a crash.
 */
async function reseal({ config, db }: ResealContext, caller: Caller): Promise<Resealed> {
  requireOperator(caller);
  let resealed = 0;
  for (let pass = 1; ; pass++) {
    const rows = (await listSealed(db)).map((row) => ({ row, by: sealedWith(config, row.table, row.id, row.sealed) }));
    const old = rows.filter(({ by }) => by === "previous").map(({ row }) => row);
    if (old.length === 0 || pass > PASSES_MAX) {
      const unreadable = rows.flatMap(({ row, by }) => (by === "unreadable" ? `${row.table}/${row.id}` : []));
      const left = old.length;
      return { resealed, current: rows.length - unreadable.length - left, left, unreadable };
    }
    resealed += await db.write(async (tx) => {
      let count = 0;
      for (const row of old) if (await resealRow(tx, config, row)) count++;
      if (count > 0) await recordSecurityEvent(tx, { type: "settings_resealed", details: { count } });
      return count;
    });
  }
}
