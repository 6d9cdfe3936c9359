import { approvals } from "./approvals/suite.ts";
import { citus } from "./citus/suite.ts";
import { crashPostgres, crashSqlite } from "./crash/suites.ts";
import { durability } from "./durability/suite.ts";
import { faults } from "./faults/suite.ts";
import { fuzzDrawing } from "./fuzz/fuzz-drawing.ts";
import { fuzzRequests } from "./fuzz/fuzz-requests.ts";
import { fuzzSchemas } from "./fuzz/fuzz-schemas.ts";
import { model } from "./model/suite.ts";
import { pooler } from "./pooler/suite.ts";
import { decisions, simulation } from "./simulation/suite.ts";
import type { Suite } from "./suite.ts";

/** All suites, in the order in which they run. */
export const SUITES: readonly Suite[] = [
  crashSqlite,
  crashPostgres,
  durability,
  faults,
  pooler,
  citus,
  model,
  approvals,
  simulation,
  decisions,
  fuzzRequests,
  fuzzSchemas,
  fuzzDrawing,
];
