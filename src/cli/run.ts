import type { Command, CommanderError } from "commander";
import { createProgram, type Surroundings } from "./commands.ts";
import { helpAfterMistake, nameOf } from "./help.ts";
import { UsageError } from "./options.ts";

/** Runs what was typed and sets the exit code: 2 after a mistake in the command, 1 after an error of the command. */
export async function runCommandLine(args: readonly string[], around: Surroundings): Promise<void> {
  try {
    await runCommand(args, around);
  } catch (error) {
    around.output.note(error instanceof Error ? error.message : String(error));
    const isUsage = error instanceof UsageError;
    if (isUsage) around.output.note(`\n${error.help}`.trimEnd());
    around.finish(isUsage ? 2 : 1);
  }
}

/** @throws UsageError, Error in a sentence for the user */
export async function runCommand(args: readonly string[], around: Surroundings): Promise<void> {
  const program = createProgram(around);
  let running = program;
  program.hook("preAction", (_, command) => void (running = command));
  try {
    prepare(program, around);
    await program.parseAsync(args.length === 0 ? ["help"] : [...args], { from: "user" });
  } catch (error) {
    if (error === HELP_SHOWN) return;
    if (error instanceof UsageError && error.help === "") error.help = helpAfterMistake(running);
    throw error;
  }
}

const HELP_SHOWN = new Error("The help was shown.");

/** Has the parser throw where it would end the process, in each command. */
function prepare(command: Command, around: Surroundings): void {
  command.configureOutput({ writeOut: (text) => around.output.result(text.trimEnd()), writeErr: () => {} });
  command.exitOverride((error) => {
    if (error.exitCode === 0) throw HELP_SHOWN;
    const mistake = new UsageError(sentenceOf(command, error));
    mistake.help = helpAfterMistake(command);
    throw mistake;
  });
  for (const one of command.commands) prepare(one, around);
}

/** Returns the parser's error as a sentence. */
function sentenceOf(command: Command, { code, message }: CommanderError): string {
  const [said = "", suggestion] = message.replace(/^error: /, "").split("\n");
  const hint = suggestion === undefined ? "" : ` ${suggestion}`;
  switch (code) {
    // A group without one of its commands.
    case "commander.help":
      return `There is no command "${nameOf(command)}".`;
    case "commander.unknownCommand":
      return `There is no command "${`${nameOf(command)} ${command.args[0]}`.trim()}".${hint}`;
    case "commander.missingMandatoryOptionValue":
      return `${missingOptions(command).join(", ")} is missing.`;
    case "commander.missingArgument":
    case "commander.excessArguments":
      return `"${nameOf(command)}" takes ${argumentsOf(command)}.`;
    default:
      return `${said.charAt(0).toUpperCase()}${said.slice(1)}.${hint}`;
  }
}

function missingOptions(command: Command): string[] {
  const missing = command.options.filter(
    (option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined,
  );
  return missing.map(({ long, flags }) => long ?? flags);
}

function argumentsOf({ registeredArguments }: Command): string {
  if (registeredArguments.length === 0) return "no arguments, only options";
  return `${registeredArguments.map(({ description }) => description).join(" and ")}, and nothing else`;
}
