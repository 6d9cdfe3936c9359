/** The table of commands: what each is called, takes and does. A command loads what it needs when it runs. */
import { Command } from "commander";
import { SERVICE_COMMAND } from "../lib/command.ts";
import type { AnswerCommand, Output, TaskCommand } from "./clients.ts";
import { describeCommands } from "./help.ts";
import type { Ask, DecideOptions } from "./actions.ts";
import type { CreateAgentOptions, InProject } from "./agents.ts";
import type { DoctorOptions } from "./doctor.ts";
import { UsageError } from "./options.ts";
import type * as People from "./people.ts";
import type { RotateKeysOptions } from "./rotate-keys.ts";
import type { SpreadOptions } from "./spread.ts";
import type * as Tasks from "./tasks.ts";
import type { WebhookKeyOptions } from "./webhook-key.ts";

/** The process as commands see it. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  output: Output;
  /** Asks the person at the terminal for a line; null if there is none, because a program runs the command. */
  ask: Ask;
  /** Whether the terminal shows colours. */
  color: boolean;
  /** Sets the exit code of the process. */
  finish: (code: number) => void;
  /** Ends the process once `text` is written, without waiting for connections that are still open. */
  exit: (text: string, code: number) => void;
}

export function createProgram(around: Surroundings): Command {
  const program = new Command(SERVICE_COMMAND);
  addServiceCommands(program, around);
  addTaskCommands(program, around);
  addOperatorCommands(program, around);
  program
    .command("version")
    .description("Prints the version.")
    .action(async () => around.output.result((await import("../version.ts")).VERSION));
  addHelp(program, around);
  describeCommands(program, "Settings come from the environment; docs/configuration.md lists them.");
  return program;
}

function addHelp(program: Command, { output }: Surroundings): void {
  program
    .helpCommand(false)
    .command("help")
    .description("Describes a command, or lists all commands.")
    .argument("[command...]", "a command")
    .action((names: string[]) => {
      let found = program;
      for (const name of names) {
        const next = found.commands.find((command) => command.name() === name);
        if (next === undefined) throw new UsageError(`There is no command "${names.join(" ")}".`);
        found = next;
      }
      output.result(found.helpInformation().trimEnd());
    });
}

function addServiceCommands(program: Command, { env, output, color, exit }: Surroundings): void {
  program
    .command("start")
    .description("Starts the service.")
    .action(async () => void (await import("../main.ts")));

  program
    .command("migrate")
    .description("Migrates the database and exits.")
    .action(async () => {
      await (await import("./database.ts")).migrateDatabase(env);
      output.result("The database is up to date.");
    });

  program
    .command("spread")
    .description(
      "Spreads the tables of tasks over the workers of Citus, once. Without --run, changes nothing, and prints the SQL and the steps.",
    )
    .option("--shards <number>", "how many parts the tables have; default: 8")
    .option("--run", "spreads the tables")
    .action(async (given: SpreadOptions) => (await import("./spread.ts")).spreadTables(given, env, output));

  program
    .command("doctor")
    .description(
      "Checks the settings, the database and all channels, and says how to fix problems. Changes nothing. Can send a test callback or a test email. Exits with 1 if there is a problem.",
    )
    .option("--callback-url <url>", "sends a test callback to this URL")
    .option("--mail-to <address>", "sends a test email to this address")
    .option("--json", "prints JSON")
    .option("--timeout <seconds>", "for each check; default: 10")
    .action(async (given: DoctorOptions) => {
      const { runDoctor } = await import("./doctor.ts");
      const { text, code } = await runDoctor(given, env, { color });
      // Connections that did not answer in time would keep the process alive.
      exit(text, code);
    });

  program
    .command("demo")
    .description(
      "Runs a sample in three parts: you answer an agent in the browser, approve a payment together with made-up people, and watch what happens when no one answers. Starts a service if none runs on this machine.",
    )
    .action(async () => {
      const { runDemo } = await import("./demo.ts");
      await runDemo(async () => import("../main.ts"), env, output);
    });
}

function addTaskCommands(program: Command, { env, output, ask, finish }: Surroundings): void {
  const run = async (read: (module: typeof Tasks) => Promise<TaskCommand>): Promise<void> => {
    const command = await read(await import("./tasks.ts"));
    const { clientOfCommand } = await import("./clients.ts");
    finish(await command(clientOfCommand(), output));
  };
  const answer = async (command: AnswerCommand): Promise<void> =>
    finish(await command((await import("./clients.ts")).clientOfAnswers(env), output));
  const tasks = program
    .command("tasks")
    .description("Acts as an agent, on the service at SERVICE_URL or on this machine.");

  tasks
    .command("create")
    .description(
      'Creates a task. Without a schema, the answer is yes or no. With a schema for a single value, such as {"type":"boolean"}, the form has one field and the answer is its value. With --action, asks whether an action may run: a person approves, edits, rejects or responds. With --wait, prints the answer. Give JSON directly, from a file (@file) or from standard input (-).',
    )
    .option("--task <text>", "the question; required, unless it is about an action")
    .option("--payload <json>", "an object that is shown with the question")
    .option("--schema <json>", "the JSON Schema of the answer")
    .option("--action <name>", "asks whether this action may run")
    .option("--args <json>", "the arguments of the action; default: {}")
    .option("--args-schema <json>", "the JSON Schema of the arguments; default: their shape")
    .option("--ui-schema <json>", "how the arguments are shown and edited")
    .option("--description <text>", "what the action does")
    .option(
      "--allowed <list>",
      "of approve, edit, reject and respond, with commas between them; default: approve,reject",
    )
    .option("--editable <pointer>", "an argument that an edit may change; may be given several times", collect)
    .option("--risk <level>", "normal (default) or high, which makes approving slow on purpose")
    .option("--message-required <list>", "decisions that need a message")
    .option("--actions <json>", "asks about 2 to 50 actions: a list, with the fields of the API")
    .option("--timeout <seconds>", "how long the task can be answered")
    .option("--escalation <name or json>", "what happens while no one answers: a template, or a list of steps")
    .option("--on-timeout <json>", "the answer that counts if no one gives one in time")
    .option("--key <key>", "the idempotency key")
    .option("--assign-to <address>", "who is to answer")
    .option("--notify <channel:target>", "where to announce the task; may be given several times", collect)
    .option("--callback-url <url>", "where the outcome is sent")
    .option("--wait", "waits for the answer and prints it")
    .action(async (given: Tasks.CreateOptions) => run(({ createTask }) => createTask(given)));

  tasks
    .command("watch")
    .description("Waits until a task closes, and prints the answer. Exits with 1 if there is no answer.")
    .argument("<id>", "the id of a task")
    .option("--timeout <seconds>", "how long to wait")
    .action(async (id: string, given: { timeout?: string }) => run(({ watchTask }) => watchTask(id, given)));

  tasks
    .command("answer")
    .description(
      "Answers a task for a person, with the admin token: SERVICE_ADMIN_API_TOKEN, or that of the data directory. Give an object, or the value if the task asks for a single value, such as true. Give JSON directly, from a file (@file) or from standard input (-).",
    )
    .argument("<id>", "the id of a task")
    .argument("<json>", "the answer")
    .option("--email <address>", "the person who answers")
    .action(async (id: string, json: string, given: { email?: string }) => {
      await answer(await (await import("./tasks.ts")).answerTask(id, json, given));
    });

  tasks
    .command("show")
    .description("Shows a task: the question, what it is about with all arguments, and what was decided.")
    .argument("<id>", "the id of a task")
    .option("--json", "prints the record as JSON")
    .action(async (id: string, given: { json?: boolean }) =>
      answer(await (await import("./show.ts")).showTask(id, given)),
    );

  tasks
    .command("decide")
    .description(
      "Decides about an action for a person, with the same token as answer, and prints the decision as JSON. For several actions, one decision counts for all, or a JSON list has one for each. At a terminal, you type the name of an action with a high risk to approve it. Give JSON directly, from a file (@file) or from standard input (-).",
    )
    .argument("<id>", "the id of a task")
    .argument("<decision>", "approve, edit, reject, respond or a JSON list")
    .option("--args <json>", "for edit: all arguments to run it with")
    .option("--message <text>", "required by respond, and where the action says so")
    .option("--email <address>", "the person who decides")
    .option("--yes", "asks for no name")
    .action(async (id: string, decision: string, given: DecideOptions) =>
      answer(await (await import("./actions.ts")).decideTask(id, decision, given, ask)),
    );

  tasks
    .command("list")
    .description("Lists open tasks that the agent may see.")
    .option("--all", "lists closed tasks too")
    .action(async (given: { all?: boolean }) => run(({ listTasks }) => listTasks(given)));
}

type OperatorRun = (read: (module: typeof People) => Promise<People.OperatorCommand>) => Promise<void>;

function addOperatorCommands(program: Command, { env, output }: Surroundings): void {
  const run: OperatorRun = async (read) => {
    const command = await read(await import("./people.ts"));
    const { openCalls } = await import("./calls.ts");
    const calls = await openCalls(env);
    try {
      output.result(await command(calls));
    } finally {
      await calls.close();
    }
  };

  program
    .command("webhook-key")
    .description(
      "Prints the signing key of callbacks in base64, for receivers. While the key is rotated, prints the current key and, in a second line, the previous one.",
    )
    .option("--standard", "prints whsec_..., which libraries for Standard Webhooks take")
    .action(async (given: WebhookKeyOptions) => {
      const { lines, note } = await (await import("./webhook-key.ts")).findWebhookKeys(given, env);
      if (note !== null) output.note(note);
      output.result(lines);
    });

  program
    .command("rotate-keys")
    .description(
      "Makes new values of admin-token, secret-key and payload-key in secrets.json, and keeps the previous ones. The service accepts both after a restart, until you run it with --finish --yes.",
    )
    .argument("[key...]", "names of keys")
    .option("--finish", "says what ends with the previous values")
    .option("--yes", "with --finish: removes them")
    .action(async (names: string[], given: RotateKeysOptions) =>
      output.result(await (await import("./rotate-keys.ts")).rotateKeys(names, given, env)),
    );

  program
    .command("reseal")
    .description("Encrypts the stored settings of email and Slack again, with the current SERVICE_SECRET_KEY.")
    .action(async () => run(async () => (await import("./reseal.ts")).resealSettings(env)));

  program
    .command("create-operator")
    .description("Creates an operator. Asks for the password, or reads it from standard input.")
    .requiredOption("--email <address>")
    .option("--name <name>")
    .action(async (given: People.UserOptions) => run(({ createOperator }) => createOperator(given)));

  addUserCommands(program.command("users").description("Manages users."), run);
  addAgentCommands(program.command("agents").description("Manages agents and their tokens."), run);
  addProjectCommands(program.command("projects").description("Manages projects and who is in them."), run);
  addKeyCommands(program.command("keys").description("Manages embed keys."), run);
}

function addUserCommands(users: Command, run: OperatorRun): void {
  const withFields = (command: Command): Command =>
    command
      .requiredOption("--email <address>")
      .option("--name <name>")
      .option("--role <role>")
      .option("--access-level <level>")
      .option("--pool <pool>");

  users
    .command("list")
    .description("Lists active users.")
    .option("--all", "lists deactivated users too")
    .action(async (given: { all?: boolean }) => run(({ listUsers }) => listUsers(given)));

  withFields(users.command("add").description("Adds a user."))
    .option("--projects <list>", "slugs with commas between them; default: default")
    .option("--operator", "the user may do everything")
    .option("--password", "asks for a password, or reads it from standard input")
    .option("--invite", "prints a link by which the user sets their own password")
    .action(
      async (
        given: People.UserOptions & { operator?: boolean; password?: boolean; invite?: boolean; projects?: string },
      ) => run(({ addUser }) => addUser(given)),
    );

  withFields(users.command("set").description("Changes a user. An empty value clears a field."))
    .option("--operator <yes|no>", "whether the user may do everything")
    .action(async (given: People.UserOptions & { operator?: string }) => run(({ setUser }) => setUser(given)));

  users
    .command("invite")
    .description("Prints a link by which a user sets their own password, or a new one. An older link stops working.")
    .requiredOption("--email <address>")
    .action(async (given: People.UserOptions) => run(({ inviteUser }) => inviteUser(given)));

  users
    .command("set-password")
    .description(
      "Sets a password and signs the user out everywhere. Asks for the password, or reads it from standard input.",
    )
    .requiredOption("--email <address>")
    .action(async (given: People.UserOptions) => run(({ setPassword }) => setPassword(given)));

  users
    .command("reset-passkeys")
    .description("Removes all passkeys of a user who has lost them, and signs them out everywhere.")
    .requiredOption("--email <address>")
    .action(async (given: People.UserOptions) => run(({ resetPasskeys }) => resetPasskeys(given)));

  users
    .command("deactivate")
    .description("Deactivates a user and signs them out everywhere.")
    .requiredOption("--email <address>")
    .action(async (given: People.UserOptions) => run(({ setActive }) => setActive(given, false)));

  users
    .command("reactivate")
    .description("Reactivates a user.")
    .requiredOption("--email <address>")
    .action(async (given: People.UserOptions) => run(({ setActive }) => setActive(given, true)));
}

function addAgentCommands(agents: Command, run: OperatorRun): void {
  const load = () => import("./agents.ts");
  const ofAgent = (command: Command): Command =>
    command
      .argument("<agent>", "its name or id")
      .option("--project <slug>", "its project, if agents of several projects have the name");

  agents
    .command("list")
    .description("Lists agents with their tokens.")
    .action(async () => run(async () => (await load()).listAgents()));

  agents
    .command("create")
    .description("Creates an agent, and prints its token once.")
    .requiredOption("--name <name>", "1 to 64 of a-z, 0-9, hyphens, underscores and dots")
    .option("--project <slug>", "its project; default: default")
    .option("--description <text>", "what it does")
    .option("--scopes <list>", "of ask, read, answer and embed, with commas between them; default: ask")
    .option("--recipients <who>", "who it may ask: anyone (default) or directory")
    .option("--host-answers", "its MCP host may hand in answers of the person who uses it")
    .option("--expires <days>", "when the token expires; default: never")
    .action(async (given: CreateAgentOptions) => run(async () => (await load()).createAgent(given)));

  ofAgent(agents.command("token").description("Creates another token, and prints it once."))
    .option("--expires <days>", "when the token expires; default: never")
    .action(async (name: string, given: InProject & { expires?: string }) =>
      run(async () => (await load()).createToken(name, given)),
    );

  ofAgent(agents.command("revoke").description("Revokes the tokens of an agent, or one of them."))
    .option("--token <id>", "only this token")
    .action(async (name: string, given: InProject & { token?: string }) =>
      run(async () => (await load()).revokeTokens(name, given)),
    );

  ofAgent(agents.command("stop").description("Refuses the tokens of an agent and ends its polls."))
    .option("--cancel-open-tasks", "cancels its open tasks as well")
    .action(async (name: string, given: InProject & { cancelOpenTasks?: boolean }) =>
      run(async () => (await load()).stopAgent(name, given)),
    );

  ofAgent(agents.command("resume").description("Lets a stopped agent go on.")).action(
    async (name: string, given: InProject) => run(async () => (await load()).resumeAgent(name, given)),
  );
}

function addProjectCommands(projects: Command, run: OperatorRun): void {
  const load = () => import("./projects.ts");
  const ofProject = (command: Command): Command => command.argument("<slug>", "its slug");
  type Given = { email?: string; role?: string };

  projects
    .command("list")
    .description("Lists projects.")
    .action(async () => run(async () => (await load()).listProjects()));

  projects
    .command("create")
    .description("Creates a project.")
    .requiredOption("--slug <slug>", "1 to 64 of a-z, 0-9 and hyphens; it never changes")
    .option("--name <name>", "what people see; default: the slug")
    .option("--recipients <who>", "who its agents may ask: anyone (default) or directory")
    .action(async (given: { slug?: string; name?: string; recipients?: string }) =>
      run(async () => (await load()).createProject(given)),
    );

  ofProject(
    projects.command("archive").description("Archives a project: it accepts no new tasks, agents, keys or senders."),
  ).action(async (slug: string) => run(async () => (await load()).setArchived(slug, true)));

  ofProject(projects.command("unarchive").description("Brings an archived project back.")).action(
    async (slug: string) => run(async () => (await load()).setArchived(slug, false)),
  );

  ofProject(projects.command("members").description("Lists the people of a project.")).action(async (slug: string) =>
    run(async () => (await load()).listMembers(slug)),
  );

  ofProject(projects.command("add-member").description("Adds a user to a project, or changes their role in it."))
    .requiredOption("--email <address>")
    .option("--role <role>", "member (default) or operator")
    .action(async (slug: string, given: Given) => run(async () => (await load()).addMember(slug, given)));

  ofProject(projects.command("remove-member").description("Removes a user from a project."))
    .requiredOption("--email <address>")
    .action(async (slug: string, given: Given) => run(async () => (await load()).removeMember(slug, given)));
}

function addKeyCommands(keys: Command, run: OperatorRun): void {
  keys
    .command("list")
    .description("Lists embed keys.")
    .action(async () => run(({ listKeys }) => listKeys()));

  keys
    .command("create")
    .description("Creates an embed key and prints it once.")
    .requiredOption("--name <what for>")
    .option("--project <slug>", "the project whose tasks it embeds; default: default")
    .action(async (given: { name?: string; project?: string }) => run(({ createKey }) => createKey(given)));

  keys
    .command("revoke")
    .description("Revokes an embed key.")
    .argument("<id>", "the id of the key")
    .action(async (id: string) => run(({ revokeKey }) => revokeKey(id)));
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}
