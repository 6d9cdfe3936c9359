import type { Argument, Command, Option } from "commander";

/** Columns of a terminal that help is written for. */
const WIDTH = 120;
/** Columns before the text about a command in a list. */
const TEXT_INDENT = 15;

/**
 * Has a program and each of its commands describe itself.
 *
 * @param footer - ends the help of the program
 */
export function describeCommands(program: Command, footer: string): void {
  const describe = (command: Command): void => {
    command.configureHelp({ formatHelp: () => helpOn(command, command === program ? footer : "") });
    command.commands.forEach(describe);
  };
  describe(program);
}

function helpOn(command: Command, footer: string): string {
  if (command.commands.length === 0) return helpOnLeaf(command);
  const typed = `${fullName(command)} <command>`;
  const about = command.description() === "" ? "" : `\n${wrap(command.description())}\n`;
  return `${typed}\n${about}\n${listOf(command)}\n"${typed} --help" describes a command and its options.\n${footer}\n`;
}

/** Returns the help after a mistake: the syntax of the command and its neighbours. */
export function helpAfterMistake(command: Command): string {
  const group = command.parent === null || command.parent.parent === null ? command : command.parent;
  return `${group.parent === null ? `${group.name()} <command>\n\n` : ""}${listOf(group)}`;
}

/** The command as it is typed, without the program: "tasks create". */
export function nameOf(command: Command): string {
  return command.parent === null ? "" : `${nameOf(command.parent)} ${command.name()}`.trim();
}

/** How each command below this one is typed, and what it does. */
function listOf(command: Command): string {
  const entries = leavesOf(command).map((leaf) => {
    const typed = `${nameOf(leaf)} ${synopsisOf(leaf)}`.trimEnd();
    return `${wrap(typed, 2, TEXT_INDENT)}\n${wrap(leaf.description(), TEXT_INDENT)}\n`;
  });
  return entries.join("");
}

function leavesOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

/** Returns the arguments and options of a command: `<id> [--timeout <seconds>]`. */
function synopsisOf({ registeredArguments, options }: Command): string {
  const parts = [
    ...registeredArguments.map(termOf),
    ...options.map(({ flags, mandatory }) => (mandatory ? flags : `[${flags}]`)),
  ];
  return parts.join(" ");
}

function termOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function helpOnLeaf(command: Command): string {
  const rows = [
    ...command.registeredArguments.map((argument) => [termOf(argument), argument.description] as const),
    ...command.options.map((option) => [option.flags, aboutOption(option)] as const),
  ];
  const width = Math.max(0, ...rows.map(([term]) => term.length));
  const list = rows.map(([term, text]) => `\n  ${term.padEnd(width)}  ${text}`.trimEnd()).join("");
  const typed = wrap(`${fullName(command)} ${synopsisOf(command)}`.trimEnd(), 0, 2);
  return `${typed}\n\n${wrap(command.description())}\n${list === "" ? "" : `${list}\n`}`;
}

function aboutOption({ mandatory, description }: Option): string {
  return [...(mandatory ? ["required"] : []), ...(description === "" ? [] : [description])].join("; ");
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

/** Lines of at most `WIDTH` columns, broken between words and never within brackets. */
function wrap(text: string, indent = 0, indentOfRest = indent): string {
  const lines: string[] = [];
  let line = " ".repeat(indent);
  for (const [word] of text.matchAll(/\[[^\]]*\]|\S+/g)) {
    if (line.trim() !== "" && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = " ".repeat(indentOfRest);
    }
    line += line.trim() === "" ? word : ` ${word}`;
  }
  return [...lines, line].join("\n");
}
