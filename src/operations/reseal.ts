import { Type } from "typebox";
import type { Config } from "../config.ts";
import type { Db } from "../db/database.ts";
import { listSealed, resealRow, sealedWith } from "../db/sealed.ts";
import { defineRoute, mount, SIGNED_IN, WRITE_ERRORS } from "../http/route.ts";
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
  unreadable: string[];
}

const Resealed = Type.Object({
  resealed: Type.Integer({ description: "Settings that this call encrypted again." }),
  current: Type.Integer({ description: "All settings that are encrypted with the current key now." }),
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

/**
 * Seals with the current key what the previous one has sealed. Each row is its own transaction, and only an unchanged row is
 * written. So it may run in several processes at once, beside people who change settings, and again after a crash.
 */
async function reseal({ config, db }: ResealContext, caller: Caller): Promise<Resealed> {
  requireOperator(caller);
  let resealed = 0;
  for (;;) {
    const rows = (await listSealed(db)).map((row) => ({ row, by: sealedWith(config, row.table, row.id, row.sealed) }));
    const old = rows.filter(({ by }) => by === "previous");
    if (old.length === 0) {
      const unreadable = rows.flatMap(({ row, by }) => (by === "unreadable" ? `${row.table}/${row.id}` : []));
      if (resealed > 0) await recordSecurityEvent(db, { type: "settings_resealed", details: { count: resealed } });
      return { resealed, current: rows.length - unreadable.length, unreadable };
    }
    for (const { row } of old) if (await db.write(async (tx) => resealRow(tx, config, row))) resealed++;
  }
}
