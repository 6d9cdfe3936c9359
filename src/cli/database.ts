import { pino } from "pino";
import { readConfig } from "../config.ts";
import { createContext } from "../start.ts";

/** Brings the database up to date. @throws Error in a sentence for the operator */
export async function migrateDatabase(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  // The first start creates and shows the secrets. Opening the database needs none.
  const { config } = readConfig(env, () => ({ adminToken: "", secretKey: "", payloadKey: "" }));
  const { db } = await createContext(config, pino({ level: "silent" }));
  await db.close();
}
