import { dirname, join } from "node:path";
import { parseSync, type ArrowFunctionExpression, type CallExpression, type Expression } from "oxc-parser";
import { Visitor, type Argument, type Function, type ObjectExpression, type Statement } from "oxc-parser";

/** A test that a file registers when it is loaded. */
export interface RegisteredTest {
  /** As it is written in the source: a template literal keeps its `${...}`. */
  title: string;
  /** False when the test is marked `skip` or `todo`, for good or under a condition. */
  alwaysRuns: boolean;
}

type Callback = Function | ArrowFunctionExpression;
interface Module {
  body: Statement[];
  /** Local names of `test` or `it`, and of functions that pass their first parameter on to one as the title. */
  registrars: Set<string>;
  /** Local names of `describe` and `suite`. */
  groups: Set<string>;
  source: string;
}

/**
 * Returns the tests of a source file, in the order in which they stand there. Follows loops, groups, and functions such
 * as `testOnBoth`, here or imported by a relative path. Leaves out what may never be registered: tests in a condition,
 * in a function that is only declared, in a skipped group, in a comment or a string.
 *
 * @param file - path of the source, from which its imports are resolved
 * @param read - returns the text of another source file
 * @throws Error when a file is not valid TypeScript
 */
export function registeredTests(file: string, source: string, read: (file: string) => string): RegisteredTest[] {
  const module = parseModule(file, source, read);
  return registrations(module.body, module).flatMap(({ call, alwaysRuns }) => {
    const [first] = call.arguments;
    const title = first && titleOf(first, source);
    return title === undefined ? [] : [{ title, alwaysRuns }];
  });
}

function parseModule(file: string, source: string, read: (file: string) => string): Module {
  const { program, errors } = parseSync(file, source);
  if (errors[0]) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);
  const body = program.body as Statement[];
  const module: Module = { body, registrars: new Set(), groups: new Set(), source };
  for (const statement of program.body) {
    if (statement.type !== "ImportDeclaration") continue;
    const from = statement.source.value;
    const other = from.startsWith(".") && from.endsWith(".ts") ? join(dirname(file), from) : null;
    for (const specifier of statement.specifiers) {
      if (specifier.type !== "ImportSpecifier" || specifier.imported.type !== "Identifier") continue;
      const { name } = specifier.imported;
      if (from === "node:test" && ["test", "it"].includes(name)) module.registrars.add(specifier.local.name);
      else if (from === "node:test" && ["describe", "suite"].includes(name)) module.groups.add(specifier.local.name);
      else if (other !== null && /^test[A-Z]/.test(name) && parseModule(other, read(other), read).registrars.has(name))
        module.registrars.add(specifier.local.name);
    }
  }
  for (const statement of program.body) {
    const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declared?.type !== "FunctionDeclaration" || declared.id === null) continue;
    if (passesItsTitleOn(declared, module)) module.registrars.add(declared.id.name);
  }
  return module;
}

function passesItsTitleOn(declared: Function, module: Module): boolean {
  const [first] = declared.params;
  if (first?.type !== "Identifier" || !declared.body) return false;
  return registrations(declared.body.body, module).some(({ call, alwaysRuns }) => {
    const [title] = call.arguments;
    const parts = title?.type === "TemplateLiteral" ? title.expressions : [title];
    return alwaysRuns && parts.some((part) => part?.type === "Identifier" && part.name === first.name);
  });
}

/** Calls of registrars that are made whenever `statements` are carried out. */
function registrations(
  statements: readonly Statement[],
  module: Module,
  inherited = true,
): { call: CallExpression; alwaysRuns: boolean }[] {
  return statements.flatMap((statement) => {
    switch (statement.type) {
      case "BlockStatement":
        return registrations(statement.body, module, inherited);
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
        return registrations([statement.body], module, inherited);
      case "ExpressionStatement": {
        const call = unwrap(statement.expression);
        if (call.type !== "CallExpression") return [];
        const alwaysRuns = inherited && !maySkip(call, module);
        if (call.callee.type === "Identifier" && module.registrars.has(call.callee.name)) return [{ call, alwaysRuns }];
        const callback = call.arguments.find(isCallback);
        if (!callback?.body || !runsItsCallback(call, module)) return [];
        const body = callback.body.type === "BlockStatement" ? callback.body.body : [asStatement(callback.body)];
        return registrations(body, module, alwaysRuns);
      }
      default:
        return [];
    }
  });
}

function runsItsCallback({ callee }: CallExpression, { groups }: Module): boolean {
  if (callee.type === "Identifier") return groups.has(callee.name);
  return (
    callee.type === "MemberExpression" && callee.property.type === "Identifier" && callee.property.name === "forEach"
  );
}

/** Whether the options say `skip` or `todo`, or the test may say so itself by a method of its context. */
function maySkip(call: CallExpression, { body }: Module): boolean {
  return call.arguments.some((argument) => {
    if (isCallback(argument)) return skipsItself(argument);
    const options = argument.type === "Identifier" ? constantNamed(argument.name, body) : argument;
    return options?.type === "ObjectExpression" && optionsSkip(options);
  });
}

function optionsSkip(options: ObjectExpression): boolean {
  return options.properties.some(
    (property) =>
      property.type === "Property" &&
      property.key.type === "Identifier" &&
      ["skip", "todo"].includes(property.key.name) &&
      !(property.value.type === "Literal" && property.value.value === false),
  );
}

function skipsItself(callback: Callback): boolean {
  const parameters = new Set(callback.params.map((param) => (param.type === "Identifier" ? param.name : "")));
  let found = false;
  new Visitor({
    CallExpression({ callee }) {
      found ||=
        callee.type === "MemberExpression" &&
        callee.object.type === "Identifier" &&
        parameters.has(callee.object.name) &&
        callee.property.type === "Identifier" &&
        ["skip", "todo"].includes(callee.property.name);
    },
  }).visit({ type: "Program", body: [asStatement(callback)], sourceType: "module", hashbang: null, start: 0, end: 0 });
  return found;
}

function constantNamed(name: string, body: readonly Statement[]): Expression | undefined {
  const declarators = body.flatMap((statement) =>
    statement.type === "VariableDeclaration" ? statement.declarations : [],
  );
  return declarators.find(({ id }) => id.type === "Identifier" && id.name === name)?.init ?? undefined;
}

function titleOf(argument: Argument, source: string): string | undefined {
  if (argument.type === "Literal" && typeof argument.value === "string") return argument.value;
  return argument.type === "TemplateLiteral" ? source.slice(argument.start + 1, argument.end - 1) : undefined;
}

/** `void test(...)` and `await test(...)` are calls as well. */
function unwrap(expression: Expression): Expression {
  if (expression.type === "UnaryExpression" && expression.operator === "void") return unwrap(expression.argument);
  return expression.type === "AwaitExpression" ? unwrap(expression.argument) : expression;
}

function isCallback(argument: Argument): argument is Callback {
  return argument.type === "ArrowFunctionExpression" || argument.type === "FunctionExpression";
}

function asStatement(expression: Expression): Statement {
  return { type: "ExpressionStatement", expression, start: expression.start, end: expression.end };
}
