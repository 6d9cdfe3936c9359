import { readFileSync } from "node:fs";

/** The version of this package, which the API description and `GET /api/version` show. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }
).version;
