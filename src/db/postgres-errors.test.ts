import assert from "node:assert/strict";
import { test } from "node:test";
import { ServiceError } from "../errors.ts";
import { asServiceError, isConnectionLoss } from "./postgres-errors.ts";

const internal = (message: string) => Object.assign(new Error(message), { code: "XX000" });

void test("an internal error is temporary if Citus reports a lost node with it, and a defect otherwise", () => {
  for (const message of [
    "could not commit transaction for shard 102009 on at least one active node",
    "connection to the remote node postgres@10.0.0.2:5432 failed with the following error: Connection refused",
    "failure on connection marked as essential: server closed the connection unexpectedly",
    "terminating connection due to administrator command",
  ]) {
    const error = internal(message);
    assert.ok(isConnectionLoss(error), message);
    const shown = asServiceError(error);
    assert.ok(shown instanceof ServiceError && shown.code === "DATABASE_UNAVAILABLE" && shown.cause === error);
  }
  // Without the code, "connection" would be enough.
  for (const message of ["cache lookup failed for relation 16384", "unexpected connection state"]) {
    const error = internal(message);
    assert.equal(isConnectionLoss(error), false, message);
    assert.equal(asServiceError(error), error);
  }
});
