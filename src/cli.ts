#!/usr/bin/env node
import module from "node:module";
import { parseArgs } from "node:util";
import { SERVICE_COMMAND } from "./lib/command.ts";

await import("./node-version.mjs");

// What a command loads is compiled once.
module.enableCompileCache();

const HELP = `${SERVICE_COMMAND} <command>

  start        Starts the service.
  migrate      Brings the database up to date and ends.
  doctor [--callback-url <url>] [--mail-to <address>] [--json] [--timeout <seconds>]
               Tries whether everything works with these settings, and says what to do where it does not. Changes
               nothing. With a URL or an address it sends a test there. Ends with 1 where there is a problem.
  demo         An agent asks, you answer in the browser, and the agent gets the typed answer. Starts a service where none
               runs on this machine.
  tasks create --task <text> [--payload <json>] [--schema <json>] [--timeout <seconds>] [--key <key>]
               [--assign-to <address>] [--notify <channel:target>] [--callback-url <url>] [--wait]
               Asks somebody. Without a schema it is a yes or a no. A schema for a single value, such as
               {"type":"boolean"}, makes a form of one field, and the answer is its value. With --wait, prints the answer.
  tasks watch <id> [--timeout <seconds>]
               Waits until a task has ended, and prints the answer. Ends with 1 when there is none.
  tasks answer <id> <json> [--email <address>]
               Answers in a person's place: with an object, or with the value where a single one is asked for, such as
               true. JSON stands there as it is, in a file (@file) or in standard input (-).
  tasks list [--all]
               These act as an agent: on the service at SERVICE_URL, else the one that runs on this machine.
  webhook-key  Prints the key that callbacks are signed with, in base64, for receivers to check them by.
  create-operator --email <address> [--name <name>]
               Makes somebody who may do everything. The password is asked for, or read from standard input.
  users list [--all]
  users add --email <address> [--name ...] [--role ...] [--access-level ...] [--pool ...] [--operator] [--password]
  users set --email <address> [--name ...] [--role ...] [--access-level ...] [--pool ...] [--operator yes|no]
               An empty text clears.
  users set-password | deactivate | reactivate --email <address>
  keys list | create --name <what for> | revoke <id>
               Keys with which products mint embed tokens.
  version      Prints the version.
  help         Prints this.

Settings come from the environment; docs/configuration.md lists them.
`;

/** What a program may read goes to standard output, what only people read beside it. */
const output = {
  result: (text: string) => void process.stdout.write(`${text}\n`),
  note: (text: string) => void process.stderr.write(`${text}\n`),
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: { help: { type: "boolean", short: "h" } },
});
const [command = "help"] = values.help === true ? [] : positionals;

switch (command) {
  case "start":
    await import("./main.ts");
    break;
  case "migrate":
    await migrate();
    break;
  case "doctor":
    await doctor();
    break;
  case "demo":
    await demo();
    break;
  case "tasks":
    await tasks();
    break;
  case "webhook-key":
    await printWebhookKey();
    break;
  case "create-operator":
  case "users":
  case "keys":
    await people();
    break;
  case "version":
    process.stdout.write(`${(await import("./version.ts")).VERSION}\n`);
    break;
  case "help":
    process.stdout.write(HELP);
    break;
  default:
    process.stderr.write(`There is no command "${command}".\n\n${HELP}`);
    process.exitCode = 2;
}

async function people(): Promise<void> {
  const { runPeople } = await import("./cli/people.ts");
  await told(async () => {
    process.stdout.write(`${await runPeople(process.argv.slice(2), process.env)}\n`);
  });
}

async function tasks(): Promise<void> {
  const { runTasks } = await import("./cli/tasks.ts");
  await told(async () => {
    process.exitCode = await runTasks(process.argv.slice(3), output);
  });
}

async function demo(): Promise<void> {
  const { runDemo } = await import("./cli/demo.ts");
  await told(async () => runDemo(async () => import("./main.ts"), process.env, output));
}

async function doctor(): Promise<void> {
  const { runDoctor } = await import("./cli/doctor.ts");
  const color = process.stdout.isTTY && process.stdout.hasColors();
  await told(async () => {
    const { text, code } = await runDoctor(process.argv.slice(3), process.env, { color });
    // Ended at once: what did not answer in time would keep the process.
    process.stdout.write(text, () => process.exit(code));
  });
}

/** Runs a command; what it throws is told in a sentence, a mistake in the command itself with what the help says of it. */
async function told(run: () => Promise<void>): Promise<void> {
  const { UsageError } = await import("./cli/options.ts");
  try {
    await run();
  } catch (error) {
    const isUsage = error instanceof UsageError;
    process.stderr.write(
      `${error instanceof Error ? error.message : String(error)}\n${isUsage ? `\n${helpOn(command)}` : ""}`,
    );
    process.exitCode = isUsage ? 2 : 1;
  }
}

/** The lines of a command, with those that belong to them. */
function helpOn(name: string): string {
  const entries = HELP.split(/^(?= {2}\S)/m).filter((entry) => entry.slice(2).split(/\s/, 1)[0] === name);
  return entries.join("").replace(/\n\n[^]*$/, "\n");
}

async function migrate(): Promise<void> {
  const { pino } = await import("pino");
  const { readConfig } = await import("./config.ts");
  const { createContext } = await import("./start.ts");
  try {
    // Secrets are made and shown by the first start; opening the database needs none.
    const { config } = readConfig(process.env, () => ({ adminToken: "", secretKey: "", payloadKey: "" }));
    const ctx = await createContext(config, pino({ level: "silent" }));
    await ctx.close();
    process.stdout.write("The database is up to date.\n");
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

/** Derived from the payload key, so that a receiver need not hold that one. */
async function printWebhookKey(): Promise<void> {
  const { readConfig } = await import("./config.ts");
  const { findSecrets } = await import("./secrets.ts");
  const { deriveCallbackKey } = await import("./callbacks/signature.ts");
  try {
    const { config } = readConfig(process.env, findSecrets);
    if (config.payloadKey === null) throw new Error("SERVICE_PAYLOAD_KEY is not set: callbacks are off.");
    process.stdout.write(`${deriveCallbackKey(config.payloadKey).toString("base64")}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
