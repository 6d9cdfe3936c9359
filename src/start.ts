import type { FastifyInstance } from "fastify";
import { pino, type Logger } from "pino";
import { createPatternHost } from "../json-schema/pattern-worker-host.ts";
import { createAgentFinder } from "./agents/finder.ts";
import { createAgentLimits } from "./agents/limits.ts";
import { openLocalAgent } from "./agents/local.ts";
import { createApp } from "./app.ts";
import type { ChannelType } from "./channels/channel.ts";
import { createInvitationMail } from "./channels/email/invitation.ts";
import { createChannels } from "./channels/channels.ts";
import { CHANNELS } from "./channels/registered.ts";
import { readConfig, type Config } from "./config.ts";
import type { Context } from "./context.ts";
import { protectDataDir } from "./data-dir.ts";
import type { Db } from "./db/database.ts";
import { createCallbackKind } from "./callbacks/kind.ts";
import { durabilityWarnings } from "./db/postgres-durability.ts";
import { createEngine, type EngineOptions } from "./deliveries/engine.ts";
import { overdueSeconds } from "./deliveries/claim.ts";
import type { DrawingThreadOptions } from "./drawing/thread.ts";
import { createDrawing } from "./drawing/drawing.ts";
import { createLargeBodies } from "./large-bodies/large-bodies.ts";
import { createMetrics } from "./http/metrics.ts";
import { createPreviews } from "./files/preview.ts";
import { createDigestKind, DIGEST_KIND } from "./notifications/digests.ts";
import { createPushKind } from "./notifications/kind.ts";
import { createBrowserNotices, PUSH_KIND } from "./notifications/notices.ts";
import { createSender } from "./outbound/http-sender.ts";
import { createDevices } from "./people/devices.ts";
import { createProvider, type ProviderOptions } from "./people/oidc/provider.ts";
import { createPasswords } from "./people/passwords.ts";
import { createCookies } from "./people/sessions.ts";
import { needsSetup, setupToken } from "./people/setup.ts";
import { recordKeysInUse } from "./security/keys-in-use.ts";
import { createSecurityLog } from "./security/security-log.ts";
import { loadSecrets } from "./secrets.ts";
import { createDataKey } from "./db/data-key.ts";
import { createResumeKinds } from "./resume/delivery.ts";
import { recordCallbackAbandoned, recordResumeFailed } from "./tasks/audit.ts";
import { readOutcome } from "./tasks/read-outcome.ts";
import { createTaskCreator } from "./tasks/creator.ts";
import { createTaskFinder } from "./tasks/finder.ts";
import { createMover } from "./tasks/mover.ts";
import { createTaskEvents } from "./tasks/events.ts";
import { createWaiters } from "./tasks/poll.ts";
import { createEventKind } from "./subscriptions/kind.ts";
import { createSubscriptions } from "./subscriptions/known.ts";
import { createVendorThread } from "./verifier/thread.ts";
import { questionCharactersMax, verifyOnFirstUse } from "./verifier/verifier.ts";
import type { Verify } from "./verifier/verify.ts";
import { VERSION } from "./version.ts";
import { startWorker } from "./worker.ts";

/** What a test may put in place of the real thing. */
export interface Replacements {
  /** Epoch milliseconds. */
  now?: () => number;
  verify?: Verify;
  /** Stands between the service and its database. */
  db?: (opened: Db) => Db;
  deliveries?: Pick<EngineOptions, "drainMs" | "random">;
  drawing?: DrawingThreadOptions;
  channels?: readonly ChannelType[];
  provider?: ProviderOptions;
}

/** Makes everything with an effect. @throws Error in a sentence for the operator when the database cannot be opened */
export async function createContext(
  config: Config,
  log: Logger,
  replace: Replacements = {},
): Promise<Context & { isNewDatabase: boolean }> {
  const onError = (error: unknown) => log.error({ err: error }, "Background error");
  const { db: opened, isNew } = await openDatabase(config, log, onError, replace.now);
  const db = replace.db ? replace.db(opened) : opened;
  const waiters = createWaiters(db, onError);
  const metrics = createMetrics({
    waiting: waiters.count,
    deliveriesInFlight: () => deliveries.inFlight(),
    overdueSeconds: () => overdueSeconds(db),
  });
  const sender = createSender({ version: VERSION, allowPrivate: config.callbacks.allowPrivate });
  const callback = createCallbackKind({
    sender,
    keys: config,
    log,
    recordAbandoned: recordCallbackAbandoned,
  });
  const dataKey = createDataKey(db, config);
  const browsers = createBrowserNotices(db, onError);
  const channels = createChannels(replace.channels ?? CHANNELS, { config, db, log }, browsers);
  const vendors = createVendorThread({ log, charactersMax: questionCharactersMax(config.limits.bodyBytes) });
  const largeBodies = createLargeBodies({ log, bodyBytes: config.limits.bodyBytes });
  const ctx = {
    config,
    version: VERSION,
    db,
    dataKey,
    subscriptions: createSubscriptions(db),
    agents: createAgentFinder(db, onError),
    admission: createAgentLimits(db),
    isNewDatabase: isNew,
    log,
    metrics,
    schemas: largeBodies.checkedBy(createPatternHost()),
    largeBodies,
    drawing: createDrawing({ log, ...replace.drawing }),
    verify: replace.verify ?? verifyOnFirstUse({ settings: config.verifier, vendors, log }),
    vendors,
    waiters,
    taskCreator: createTaskCreator(db, channels),
    finder: createTaskFinder(db),
    mover: createMover(db),
    browsers,
    notifier: channels,
    channels,
    events: createTaskEvents(db, onError),
    passwords: createPasswords(),
    invitationMail: createInvitationMail({ db, config, log }),
    cookies: createCookies(config),
    provider:
      config.signIn.oidc === null ? null : createProvider(config.signIn.oidc, config.publicUrl, replace.provider),
    security: createSecurityLog({ db, log }),
    devices: createDevices(config),
    sender,
    previews: createPreviews({ sender }),
  };
  const resume = createResumeKinds({
    db,
    sender,
    keys: config,
    dataKey,
    log,
    readOutcome,
    recordFailed: recordResumeFailed,
  });
  const event = createEventKind({ db, sender, keys: config, log });
  const digest = createDigestKind({ db, config, log });
  const push = createPushKind({ db, sender, config, log });
  const kinds = { callback, event, [PUSH_KIND]: push, [DIGEST_KIND]: digest, ...resume, ...channels.kinds(ctx) };
  const deliveries = createEngine({ db, log, metrics, kinds, ...replace.deliveries });
  const whole = { ...ctx, deliveries };
  return { ...whole, close: () => closeParts(whole) };
}

async function closeParts(ctx: Omit<Context, "close">): Promise<void> {
  ctx.waiters.stop();
  ctx.events.stop();
  ctx.agents.stop();
  ctx.subscriptions.stop();
  ctx.browsers.stop();
  ctx.admission.stop();
  ctx.previews.stop();
  await ctx.deliveries.stop();
  await ctx.sender.close();
  await ctx.schemas.close();
  await ctx.largeBodies.close();
  await ctx.drawing.close();
  await ctx.vendors.close();
  await ctx.security.flush();
  await ctx.db.close();
}

// The driver of the database that is not used is not loaded: it is a third of the start.
async function openDatabase(
  config: Config,
  log: Logger,
  onError: (error: unknown) => void,
  now: (() => number) | undefined,
): Promise<{ db: Db; isNew: boolean }> {
  const clock = now ? { now } : {};
  if (config.database.kind === "sqlite") {
    const { openSqlite } = await import("./db/sqlite.ts");
    const db = await openSqlite({ dataDir: config.dataDir, onError, ...clock });
    return { db, isNew: db.isNew };
  }
  const { openPostgres } = await import("./db/postgres.ts");
  const onWarning = (message: string) => log.warn(message);
  const onInfo = (message: string) => log.info(message);
  const db = await openPostgres({ url: config.database.url, onError, onWarning, onInfo, ...clock });
  for (const warning of await durabilityWarnings(db)) onWarning(warning);
  return { db, isNew: false };
}

export interface RunningService {
  ctx: Context & { isNewDatabase: boolean };
  app: FastifyInstance;
  /** Where it listens, for example `http://127.0.0.1:3000`. */
  address: string;
  warnings: string[];
  /** Which secrets were made at this start. */
  hasNewSecrets: boolean;
  /** Token of the setup link. null: an operator exists. */
  setupToken: string | null;
  /** Token of the local agent. null: there is none. */
  localToken: string | null;
  /** Answers who waits, finishes what is under way, closes the database. Calling it again waits for the same end. */
  stop(): Promise<void>;
}

/**
 * Starts the whole service.
 * @throws ConfigError, or Error in a sentence for the operator
 */
export async function startService(env: Readonly<Record<string, string | undefined>>): Promise<RunningService> {
  let hasNewSecrets = false;
  const { config, warnings } = readConfig(env, (dataDir) => {
    const { secrets, created } = loadSecrets(dataDir);
    hasNewSecrets = created;
    return secrets;
  });
  const warning = protectDataDir(config.dataDir);
  if (warning !== null) warnings.push(warning);
  const log = pino({ level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime });
  const ctx = await createContext(config, log);
  const app = await createApp(ctx);
  const address = await listen(app, ctx);
  const worker = startWorker(ctx);

  let stopping: Promise<void> | null = null;
  const stop = async () => {
    await app.close();
    await worker.stop();
    await ctx.close();
  };
  // A database that is away for a moment is no reason not to run.
  await recordKeysInUse(ctx).catch((error: unknown) =>
    log.warn({ err: error }, "Could not record which keys are in use"),
  );
  const isToSetUp = await needsSetup(ctx).catch((error: unknown) => {
    log.warn({ err: error }, "Could not check whether setup is finished");
    return false;
  });
  const localToken = await openLocalAgent(ctx).catch((error: unknown) => {
    log.warn({ err: error }, "Could not open the local agent. Programs on this machine need a token of their own");
    return null;
  });
  return {
    ctx,
    app,
    address,
    warnings,
    hasNewSecrets,
    setupToken: isToSetUp ? setupToken(config) : null,
    localToken,
    stop: () => (stopping ??= stop()),
  };
}

async function listen(app: FastifyInstance, ctx: Context): Promise<string> {
  const { host, port } = ctx.config;
  try {
    return await app.listen({ host, port, backlog: 1024 });
  } catch (error) {
    await ctx.close();
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EADDRINUSE")
      throw new Error(
        `Port ${port} on ${host} is in use. Set SERVICE_PORT to another port, or stop the program that uses it.`,
        { cause: error },
      );
    if (code === "EACCES")
      throw new Error(`This user may not open port ${port}. Set SERVICE_PORT to a port above 1023.`, {
        cause: error,
      });
    throw error;
  }
}
