import type { ErrorParams } from "../../json-schema/errors.ts";
import { keyOf } from "./entries.ts";
import {
  andList,
  sayAt,
  sayBroken,
  sayMissing,
  sayOneNeeded,
  sayOnlyOne,
  sayProblem,
  sayTooLarge,
} from "./messages.ts";
import { nodesOf } from "./nodes.ts";
import type { FormNode, GroupNode } from "./nodes.ts";
import type { Form, Plan } from "./plan.ts";
import { verdictOn } from "./schema-view.ts";

/** A reason why an answer is not accepted, at the field where a person can change it. */
export interface FieldError {
  /** The name of its node; "" is the form as a whole. */
  readonly name: string;
  readonly title: string;
  /** A sentence that says what to do. */
  readonly message: string;
  /** The controls may be unable to express the required value. JSON always can. */
  readonly isUnusual?: boolean;
}

/** A validation error of the answer: this service's error details, or a ValidationError. */
export interface Finding {
  /** JSON Pointer into the answer. */
  readonly path: string;
  readonly keyword: string;
  /** Present if the error has details. */
  readonly params?: ErrorParams | null;
  /**
   * JSON Pointer into the schema. It distinguishes a rule for a property's name, which has the path of the property's
   * value.
   */
  readonly schema_path?: string;
}

/**
 * Returns the problems of the entries in the order of the fields, one for each field. If there are none, the service
 * will accept the answer, unless it depends on a pattern that only the service can match.
 */
export function checkPlan(form: Form, plan: Plan): readonly FieldError[] {
  const errors = new Map<string, FieldError>();
  for (const node of nodesOf(plan.root))
    if (node.problem !== null) errors.set(node.name, errorAt(node, sayProblem(node.problem)));
  if (plan.value !== undefined && form.source !== null) {
    const verdict = verdictOn(form.source, plan.value);
    if (verdict.status === "refused") errors.set("", errorAt(plan.root, sayTooLarge()));
    if (verdict.status === "invalid") for (const error of explain(plan, verdict.errors)) add(errors, error);
  }
  return inFormOrder(plan, errors);
}

/** Does the same for the service's findings: each finding becomes a sentence at its field. */
export function explain(plan: Plan, findings: readonly Finding[]): readonly FieldError[] {
  const errors = new Map<string, FieldError>();
  const nodes = new Map<string, FormNode>();
  // A choice among forms and the chosen form share a pointer. The inner one is rendered around the field.
  const names = new Map<string, FormNode>();
  for (const node of nodesOf(plan.root)) {
    // The name in a row of a record is beside the value, and has no pointer of its own.
    if (node.kind === "record") for (const row of node.rows) names.set(row.value.pointer, row.key);
    if (!node.hidden && !node.name.endsWith("~key")) nodes.set(node.pointer, node);
  }
  for (const finding of findings) {
    const isName = NAME_RULE.test(finding.schema_path ?? "");
    const { node, rest } = nodeFor(isName && names.has(finding.path) ? names : nodes, plan.root, finding.path);
    for (const error of errorsOf(node, rest, finding, findings)) add(errors, error);
  }
  return inFormOrder(plan, errors);
}

/** Matches a keyword inside `propertyNames`, unless a field has that name. */
const NAME_RULE =
  /(?<!\/(?:properties|patternProperties|dependentSchemas|dependencies|\$defs|definitions))\/propertyNames\/[^/]+$/;

/** Keywords whose violations a person can fix in the control, and the member of its node with the limit. */
const USUAL = new Map([
  ["minLength", "min"],
  ["maxLength", "max"],
  ["pattern", ""],
  ["format", ""],
  ["minimum", "min"],
  ["maximum", "max"],
  ["exclusiveMinimum", "above"],
  ["exclusiveMaximum", "below"],
  ["multipleOf", "step"],
  ["minItems", "min"],
  ["maxItems", "max"],
  ["uniqueItems", ""],
]);

/** @param rest - the part of the finding's path inside the node */
function errorsOf(node: FormNode, rest: string, finding: Finding, findings: readonly Finding[]): FieldError[] {
  const { keyword, path } = finding;
  const isMissing = keyword === "required" || keyword === "dependentRequired" || keyword === "dependencies";
  if (node.kind === "group") {
    const missing = node.children.filter((child) => child.value === undefined && child.required && !child.hidden);
    if (isMissing && missing.length > 0)
      return missing.map((child) => errorAt(child, sayProblem(child.problem ?? { code: "missing" })));
    const titles = titlesOf(node);
    if (titles.length > 0 && (isMissing || keyword === "anyOf")) return [errorAt(node, sayOneNeeded(titles))];
    if (titles.length > 0 && keyword === "oneOf") return [errorAt(node, sayOnlyOne(titles))];
  }
  // A finding of the service does not include the limit.
  const limit = wantedBy(finding) ?? Reflect.get(node, USUAL.get(keyword) ?? "");
  const broken = sayBroken(keyword, limit, node);
  if (node.kind !== "json") return [{ ...errorAt(node, broken), isUnusual: !USUAL.has(keyword) }];
  // A box shows one error, so it lists all the names that one object lacks.
  const names = isMissing ? findings.flatMap((other) => (other.path === path ? missingIn(other) : [])) : [];
  const message = names.length > 0 ? sayMissing(names) : broken;
  return [errorAt(node, rest === "" ? message : sayAt(rest.slice(1), message))];
}

function missingIn({ params }: Finding): string[] {
  return params && "missing" in params ? [params.missing] : [];
}

/** Returns the keyword's requirement, in the form that `sayBroken` needs. */
function wantedBy({ params }: Finding): unknown {
  if (!params) return undefined;
  return "limit" in params ? params.limit : "types" in params ? params.types : undefined;
}

/** Returns the titles of the fields of which one is required. */
function titlesOf(group: GroupNode): readonly string[] {
  return group.oneOf.map((keys) =>
    andList(keys.map((key) => group.children.find((child) => keyOf(child.pointer) === key)?.title ?? key)),
  );
}

/** Returns the node at `path` or its nearest ancestor, and the rest of the path inside it. */
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

/**
 * Returns the errors in the order of the form. The title of an error in a row of a list begins with the title of the
 * row: "Item 1: SKU".
 */
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
