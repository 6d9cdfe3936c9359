import type { ErrorParams } from "../../json-schema/errors.ts";
import { keyOf } from "./entries.ts";
import { ENGLISH } from "./messages.ts";
import type { Messages } from "./messages.ts";
import { nodesOf } from "./nodes.ts";
import type { FormNode, GroupNode } from "./nodes.ts";
import type { Form, Plan } from "./plan.ts";
import { verdictOn } from "./schema-view.ts";

/** Something that keeps an answer from being accepted, at the field where a person can change it. */
export interface FieldError {
  /** Of the node it is about; "" is the form as a whole. */
  readonly name: string;
  readonly title: string;
  /** A sentence that says what to do. */
  readonly message: string;
  /** The controls may have no way to give what is wanted; writing JSON always has. */
  readonly isUnusual?: boolean;
}

/** How a validation of the answer says it: this service's error details, or a ValidationError. */
export interface Finding {
  /** JSON Pointer into the answer. */
  readonly path: string;
  readonly keyword: string;
  /** Where it is known more exactly. */
  readonly params?: ErrorParams | null;
  /** JSON Pointer into the schema: a rule for a name has the path of the value beside it. */
  readonly schema_path?: string;
}

/**
 * What is still wrong with what was entered, in the order of the fields, one error for each. None: the service will
 * accept the answer, unless it hangs on a pattern that only the service can match.
 */
export function checkPlan(form: Form, plan: Plan, messages: Messages = ENGLISH): readonly FieldError[] {
  const errors = new Map<string, FieldError>();
  for (const node of nodesOf(plan.root))
    if (node.problem !== null) errors.set(node.name, errorAt(node, messages.problem(node.problem)));
  if (plan.value !== undefined && form.source !== null) {
    const verdict = verdictOn(form.source, plan.value);
    if (verdict.status === "refused") errors.set("", errorAt(plan.root, messages.unchecked));
    if (verdict.status === "invalid") for (const error of explain(plan, verdict.errors, messages)) add(errors, error);
  }
  return inFormOrder(plan, errors);
}

/** The same for what the service found: each finding becomes a sentence at its field. */
export function explain(plan: Plan, findings: readonly Finding[], messages: Messages = ENGLISH): readonly FieldError[] {
  const errors = new Map<string, FieldError>();
  const nodes = new Map<string, FormNode>();
  // Of a choice among forms and the form that was chosen, which share a pointer, the inner one is drawn around the field.
  const names = new Map<string, FormNode>();
  for (const node of nodesOf(plan.root)) {
    // The name in a row of a record stands beside the value, at no place of its own.
    if (node.kind === "record") for (const row of node.rows) names.set(row.value.pointer, row.key);
    if (!node.hidden && !node.name.endsWith("~key")) nodes.set(node.pointer, node);
  }
  for (const finding of findings) {
    const isName = NAME_RULE.test(finding.schema_path ?? "");
    const { node, rest } = nodeFor(isName && names.has(finding.path) ? names : nodes, plan.root, finding.path);
    for (const error of errorsOf(node, rest, finding, findings, messages)) add(errors, error);
  }
  return inFormOrder(plan, errors);
}

/** A keyword that `propertyNames` holds, unless that is what a field is called. */
const NAME_RULE =
  /(?<!\/(?:properties|patternProperties|dependentSchemas|dependencies|\$defs|definitions))\/propertyNames\/[^/]+$/;

/** What is put right in the control that it is about. */
const USUAL = new Set([
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "uniqueItems",
]);

/** @param rest - what of the finding's path lies inside the node */
function errorsOf(
  node: FormNode,
  rest: string,
  finding: Finding,
  findings: readonly Finding[],
  messages: Messages,
): FieldError[] {
  const { keyword, path } = finding;
  const isMissing = keyword === "required" || keyword === "dependentRequired" || keyword === "dependencies";
  if (node.kind === "group") {
    const missing = node.children.filter((child) => child.value === undefined && child.required && !child.hidden);
    if (isMissing && missing.length > 0)
      return missing.map((child) => errorAt(child, messages.problem(child.problem ?? { code: "missing" })));
    const titles = titlesOf(node);
    if (titles.length > 0 && (isMissing || keyword === "anyOf")) return [errorAt(node, messages.oneNeeded(titles))];
    if (titles.length > 0 && keyword === "oneOf") return [errorAt(node, messages.onlyOne(titles))];
  }
  const broken = messages.broken(keyword, wantedBy(finding) ?? limitOf(node, keyword), node);
  if (node.kind !== "json") return [{ ...errorAt(node, broken), isUnusual: !USUAL.has(keyword) }];
  // A box shows one error: all the names that one object lacks are told at once.
  const names = isMissing ? findings.flatMap((other) => (other.path === path ? missingIn(other) : [])) : [];
  const message = names.length > 0 ? messages.namesMissing(names) : broken;
  return [errorAt(node, rest === "" ? message : messages.at(rest.slice(1), message))];
}

function missingIn({ params }: Finding): string[] {
  return params && "missing" in params ? [params.missing] : [];
}

/** What the keyword asks for, as `messages.broken` wants it. */
function wantedBy({ params }: Finding): unknown {
  if (!params) return undefined;
  return "limit" in params ? params.limit : "types" in params ? params.types : undefined;
}

/** The fields of which one is needed, by title. */
function titlesOf(group: GroupNode): readonly string[] {
  return group.oneOf.map((keys) =>
    keys.map((key) => group.children.find((child) => keyOf(child.pointer) === key)?.title ?? key).join(" and "),
  );
}

/** What the plan knows of a keyword's value, for findings that do not say where it stands. */
function limitOf(node: FormNode, keyword: string): number | null {
  if (!("min" in node)) return null;
  const isStep = node.kind === "number";
  switch (keyword) {
    case "minLength":
    case "minimum":
    case "minItems":
      return node.min;
    case "maxLength":
    case "maximum":
    case "maxItems":
      return node.max;
    case "exclusiveMinimum":
      return isStep ? node.above : null;
    case "exclusiveMaximum":
      return isStep ? node.below : null;
    case "multipleOf":
      return isStep ? node.step : null;
    default:
      return null;
  }
}

/** The node at `path`, or the nearest one around it, and what of the path lies inside it. */
function nodeFor(nodes: ReadonlyMap<string, FormNode>, root: FormNode, path: string): { node: FormNode; rest: string } {
  for (let at = path; ; at = at.slice(0, at.lastIndexOf("/"))) {
    const node = nodes.get(at);
    if (node !== undefined) return { node, rest: path.slice(at.length) };
    if (!at.includes("/")) return { node: root, rest: path };
  }
}

export function errorAt(node: FormNode, message: string): FieldError {
  return { name: node.name, title: node.title, message };
}

function add(errors: Map<string, FieldError>, error: FieldError): void {
  if (!errors.has(error.name)) errors.set(error.name, error);
}

/** The title of an error in a row of a list begins with that of the row: "Item 1: SKU". */
function inFormOrder(plan: Plan, errors: ReadonlyMap<string, FieldError>): readonly FieldError[] {
  const rows: FormNode[] = [];
  const ordered: FieldError[] = [];
  for (const node of nodesOf(plan.root)) {
    if (node.kind === "list") rows.push(...node.rows);
    const error = errors.get(node.name);
    if (error === undefined) continue;
    const around = rows.filter(({ name }) => node.name.startsWith(`${name}/`));
    ordered.push({ ...error, title: [...around, node].map(({ title }) => title).join(": ") });
  }
  return ordered;
}
