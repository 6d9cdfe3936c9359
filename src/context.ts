import type { Logger } from "pino";
import type { PatternHost } from "../json-schema/pattern-worker-host.ts";
import type { Channels } from "./channels/channels.ts";
import type { Config } from "./config.ts";
import type { DataKey } from "./db/data-key.ts";
import type { Db } from "./db/database.ts";
import type { Engine } from "./deliveries/engine.ts";
import type { Drawing } from "./drawing/drawing.ts";
import type { Metrics } from "./http/metrics.ts";
import type { LargeBodies } from "./large-bodies/large-bodies.ts";
import type { Previews } from "./files/preview.ts";
import type { BrowserNotices } from "./notifications/notices.ts";
import type { Sender } from "./outbound/http-sender.ts";
import type { AgentFinder } from "./people/agent-caller.ts";
import type { Devices } from "./people/devices.ts";
import type { InvitationMail } from "./people/invitations/mail.ts";
import type { Provider } from "./people/oidc/provider.ts";
import type { Passwords } from "./people/passwords.ts";
import type { Cookies } from "./people/sessions.ts";
import type { SecurityLog } from "./security/security-log.ts";
import type { Subscriptions } from "./subscriptions/known.ts";
import type { Admission } from "./tasks/admission.ts";
import type { TaskCreator } from "./tasks/creator.ts";
import type { TaskEvents } from "./tasks/events.ts";
import type { TaskFinder } from "./tasks/finder.ts";
import type { Mover } from "./tasks/mover.ts";
import type { Notifier } from "./tasks/notices.ts";
import type { Waiters } from "./tasks/poll.ts";
import type { VendorThread } from "./verifier/thread.ts";
import type { Verify } from "./verifier/verify.ts";

/** Everything with an effect, made once by `createContext`. Rooms declare the fields that they need, and do not import this. */
export interface Context {
  config: Config;
  /** The version of the running package. */
  version: string;
  db: Db;
  /** Encrypts what is secret in tasks. */
  dataKey: DataKey;
  /** Finds agents by their tokens. */
  agents: AgentFinder & { stop(): void };
  /** Knows who hears of events. */
  subscriptions: Subscriptions;
  /** Holds new tasks within the limits of their agents. */
  admission: Admission & { stop(): void };
  log: Logger;
  metrics: Metrics;
  /** Validates values against clients' schemas. */
  schemas: PatternHost;
  /** Parses large bodies. */
  largeBodies: LargeBodies;
  /** Draws payloads and forms as HTML. */
  drawing: Drawing;
  verify: Verify;
  /** Asks the vendors of verifiers. */
  vendors: VendorThread;
  waiters: Waiters;
  taskCreator: TaskCreator;
  /** Reads tasks that are to be answered. */
  finder: TaskFinder;
  /** Writes changes of the status of tasks. */
  mover: Mover;
  /** Knows whether people are told in browsers. */
  browsers: BrowserNotices;
  /** Reaches people, for tasks: the channels. */
  notifier: Notifier;
  channels: Channels;
  /** Tells those who look at tasks what changes. */
  events: TaskEvents;
  passwords: Passwords;
  /** Mails links by which people set their own password. */
  invitationMail: InvitationMail;
  /** Makes and opens the cookies of sessions. */
  cookies: Cookies;
  /** The sign-in provider; null if none is set up. */
  provider: Provider | null;
  /** Records failed requests. */
  security: SecurityLog;
  /** Recognizes browsers in which a person has signed in before. */
  devices: Devices;
  /** Posts to URLs of strangers. */
  sender: Sender;
  /** Fetches files that tasks name. */
  previews: Previews;
  /** Sends what is owed. */
  deliveries: Engine;
  /** Ends everything that is in here, in order: what is under way is finished first, and the database closes last. */
  close(): Promise<void>;
}
