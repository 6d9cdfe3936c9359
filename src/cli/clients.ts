import { resolve } from "node:path";
import { ApiError, createClient, HumanTaskError, type Client, type TaskRecord } from "../../sdk/index.ts";
import { SERVICE_COMMAND } from "../lib/command.ts";
import { findSecrets, NoSecretsYet } from "../secrets.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The output of a command: results for programs, and notes for people. */
export interface Output {
  result: (text: string) => void;
  note: (text: string) => void;
}

/** Returns the client of an agent for this environment. @throws Error in a sentence for the user */
export function clientOfCommand(token?: string): Client {
  try {
    return createClient({ token });
  } catch (error) {
    if (!(error instanceof HumanTaskError)) throw error;
    throw new Error(error.message.replace(/, or use createClient\(.*$/, `. ${HOW_TO_GET_A_TOKEN}`), { cause: error });
  }
}

const HOW_TO_GET_A_TOKEN = `Where the service runs, \`${SERVICE_COMMAND} agents create --name <name>\` creates an agent with a token.`;

/** A client that may answer for people, and where its token was found. */
export interface Answering {
  client: Client;
  from?: string;
}

/**
 * Returns a client that may answer for people, and where its token was found. No agent answers its own questions, so this is
 * the admin token. Without one, the token of an agent is used, which needs the scope `answer`.
 *
 * @throws Error in a sentence for the user
 */
export function clientOfAnswers(env: Env): Answering {
  const admin = findAdminToken(env);
  return admin === null ? { client: clientOfCommand() } : { client: clientOfCommand(admin.token), from: admin.from };
}

/**
 * Returns the admin token and where it was found: in the environment, or in the data directory of the service on this machine.
 * null: it is not known here.
 */
export function findAdminToken(env: Env): { token: string; from: string } | null {
  const setting = (name: string) => env[name]?.trim() || undefined;
  const token = setting("SERVICE_ADMIN_API_TOKEN");
  if (token !== undefined) return { token, from: "SERVICE_ADMIN_API_TOKEN" };
  // The secrets of this machine are not sent to another one.
  if (setting("SERVICE_URL") !== undefined) return null;
  const dataDir = setting("SERVICE_DATA_DIR") ?? "./data";
  try {
    return { token: findSecrets(dataDir).adminToken, from: resolve(dataDir, "secrets.json") };
  } catch (error) {
    if (!(error instanceof NoSecretsYet)) throw error;
    return null;
  }
}

/**
 * A `tasks` command whose options have been read. It acts as an agent: on the service of SERVICE_URL, else the one that runs
 * on this machine.
 * @returns the exit code: 1 when there was no answer, or it was sent back
 * @throws Error in a sentence for the user
 */
export type TaskCommand = (client: Client, output: Output) => Promise<number>;

/** A command that answers for a person. */
export type AnswerCommand = (answering: Answering, output: Output) => Promise<number>;

/** Returns the task to answer. */
export async function readTask({ client, from }: Answering, id: string): Promise<TaskRecord> {
  return client.get(id).catch((error: unknown) => {
    throw withSource(error, from);
  });
}

/** Answers a task for a person. @param email - of the person; undefined if it is unknown */
export async function sendAnswer(
  { client, from }: Answering,
  id: string,
  answer: object,
  email: string | undefined,
): Promise<TaskRecord> {
  const as = email === undefined ? {} : { email };
  return client.complete(id, answer, { channel: "command line", ...as }).catch((error: unknown) => {
    throw withSource(error, from);
  });
}

/** Says where a token was found that the service refuses. */
function withSource(error: unknown, from: string | undefined): unknown {
  if (from === undefined || !(error instanceof ApiError) || error.status !== 401) return error;
  return new Error(`${error.message}\nThe admin token came from ${from}.`, { cause: error });
}
