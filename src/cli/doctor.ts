/** Checks whether the service will work for people and agents. Starts and changes nothing. */
import { pino } from "pino";
import { CHANNELS } from "../channels/registered.ts";
import type { Config } from "../config.ts";
import { KEY_VARIABLES } from "../config/keys.ts";
import { nothingStored } from "../db/find.ts";
import { isEmailAddress } from "../lib/text.ts";
import { SECOND } from "../lib/time.ts";
import { checkCallbacks, tryCallback } from "./doctor/callbacks.ts";
import { check, within, type Finding } from "../lib/findings.ts";
import { checkClock } from "./doctor/clock.ts";
import { checkDatabase, unreachable } from "./doctor/database.ts";
import { checkEmbed } from "./doctor/embed.ts";
import { checkKeys } from "./doctor/keys.ts";
import { checkPublicUrl, unheard } from "./doctor/public-url.ts";
import { reportJson, reportText, secretsIn, shown } from "./doctor/report.ts";
import { checkConnections, checkSubscriptions } from "./doctor/resuming.ts";
import { checkSettings } from "./doctor/settings.ts";
import { checkSignIn } from "./doctor/sign-in.ts";
import { checkVerifier } from "./doctor/verifier.ts";
import type { SecretName } from "../secrets.ts";
import { UsageError } from "./options.ts";

interface Wishes {
  isJson: boolean;
  /** Receivers of a test callback and a test email; null to send none. */
  callbackUrl: string | null;
  mailTo: string | null;
  /** For each check. */
  limitMs: number;
}

export interface DoctorOptions {
  json?: boolean;
  callbackUrl?: string;
  mailTo?: string;
  timeout?: string;
}

/** Runs `doctor`. @returns what to print, and the exit code @throws UsageError */
export async function runDoctor(
  given: DoctorOptions,
  env: Readonly<Record<string, string | undefined>>,
  terminal: { color: boolean },
): Promise<{ text: string; code: 0 | 1 }> {
  const wishes = readWishes(given);
  const { findings, config, stored } = checkSettings(env);
  const isStored = (name: SecretName) =>
    stored?.previous?.[name] !== undefined && (env[`${KEY_VARIABLES[name]}_PREVIOUS`] ?? "").trim() === "";
  if (config !== null) findings.push(...(await examine(config, wishes, isStored)));
  const secrets = secretsIn(env, stored);
  const masked = findings.map((finding) => shown(finding, secrets));
  const text = wishes.isJson ? reportJson(masked) : reportText(masked, terminal);
  return { text, code: masked.some(({ status }) => status === "problem") ? 1 : 0 };
}

function readWishes({ json = false, callbackUrl, mailTo, timeout = "10" }: DoctorOptions): Wishes {
  if (callbackUrl !== undefined && !URL.canParse(callbackUrl)) throw new UsageError("--callback-url takes a URL.");
  if (mailTo !== undefined && !isEmailAddress(mailTo)) throw new UsageError("--mail-to takes an email address.");
  if (!/^[1-9]\d{0,2}$/.test(timeout)) throw new UsageError("--timeout takes seconds, 1 to 999.");
  const limitMs = Number(timeout) * SECOND;
  return { isJson: json, callbackUrl: callbackUrl ?? null, mailTo: mailTo ?? null, limitMs };
}

/**
 * Checks the database and the public URL first, because other checks use them. All others run in parallel.
 * @param isStored - whether the previous value of a secret is in `secrets.json`
 */
async function examine(
  config: Config,
  { callbackUrl, mailTo, limitMs }: Wishes,
  isStored: (name: SecretName) => boolean,
): Promise<Finding[]> {
  const [database, publicUrl] = await Promise.all([
    within(
      limitMs,
      () => checkDatabase(config),
      (reason) => unreachable(config, reason),
    ),
    within(
      limitMs,
      (signal) => checkPublicUrl(config, signal),
      (reason) => unheard(config, reason),
    ),
  ]);
  const { found, isCurrent } = database;
  const query = found !== null && isCurrent ? found.query : nothingStored();
  const ctx = { config, log: pino({ level: "silent" }), db: { query } };
  const clock = checkClock([
    { whose: "the database's", aheadMs: found?.clockAheadMs ?? null },
    { whose: `that of ${config.publicUrl}`, aheadMs: publicUrl.clockAheadMs },
  ]);
  const callback =
    callbackUrl === null ? [] : [check("callback-test", limitMs, (signal) => tryCallback(config, callbackUrl, signal))];
  const rest = await Promise.all([
    ...callback,
    ...CHANNELS.flatMap((channel) => channel.check?.(ctx, { limitMs, testAddress: mailTo }) ?? []),
    check("keys", limitMs, async () =>
      checkKeys(config, found !== null && isCurrent ? ctx.db : null, { isStored, hasOldKeys: publicUrl.hasOldKeys }),
    ),
    check("connections", limitMs, () => checkConnections(config, ctx.db)),
    check("events", limitMs, () => checkSubscriptions(config, ctx.db)),
    check("sign-in", limitMs, () => checkSignIn(config, limitMs)),
    check("verifier", limitMs, async () => checkVerifier(config)),
  ]);
  // The caller ends the process, so a server that does not respond is not waited for.
  void found?.close().catch(() => {});
  return [
    ...database.findings,
    ...publicUrl.findings,
    clock,
    checkCallbacks(config),
    ...rest.flat(),
    checkEmbed(config),
  ];
}
