/**
 * Finds what a statement does that databases could not do, or could not do quickly, if rows were spread over several of
 * them by their home. src/db/beyond-home.ts lists these rules.
 */
import { loadModule, parseSync } from "libpg-query";
import { BEYOND_HOME, marksOf, type BeyondHome, type HomeRule } from "../../src/db/beyond-home.ts";
import { TASK_BOUND } from "../../src/db/home.ts";

/** A part of a parsed statement, as PostgreSQL's own parser describes it. */
type Node = Readonly<Record<string, unknown>>;

/** A table of tasks in one query. */
interface Relation {
  table: string;
  /** Its name in the query. */
  name: string;
}

/** How a condition names the home of a relation. */
interface Naming {
  relation: Relation;
  by: "one value" | "many values" | Relation;
}

await loadModule();

/** Returns the rules that a statement breaks, each once, marked or not. @throws Error if PostgreSQL could not parse it */
export function findBroken(text: string): HomeRule[] {
  const broken = new Set<HomeRule>();
  const { stmts = [] } = parseSync(text) as { stmts?: { stmt?: Node }[] };
  for (const { stmt } of stmts) visit(stmt, new Set(), (rule) => broken.add(rule));
  return [...broken];
}

/** Returns what is wrong with a statement, as sentences: the rules that it breaks without being an exception. */
export function judge(text: string): string[] {
  const marks = marksOf(text);
  const unknown = marks.filter((mark) => !(mark in BEYOND_HOME));
  const allowed = new Set(marks.flatMap((mark): readonly HomeRule[] => BEYOND_HOME[mark as BeyondHome]?.breaks ?? []));
  const broken = findBroken(text).filter((rule) => !allowed.has(rule));
  return [
    ...unknown.map((mark) => `"${mark}" is not in src/db/beyond-home.ts.`),
    ...broken.map((rule) => `It breaks the rule "${rule}".`),
  ];
}

/** Returns the exceptions that none of the statements needs, as sentences. */
export function findStale(texts: readonly string[]): string[] {
  const needed = new Set<string>();
  for (const text of texts)
    for (const mark of marksOf(text)) for (const rule of findBroken(text)) needed.add(`${mark}: ${rule}`);
  return Object.entries(BEYOND_HOME).flatMap(([name, { breaks }]) =>
    breaks
      .filter((rule) => !needed.has(`${name}: ${rule}`))
      .map((rule) => `No statement that is marked "${name}" breaks the rule "${rule}".`),
  );
}

type Tell = (rule: HomeRule) => void;

const QUERIES = ["SelectStmt", "InsertStmt", "UpdateStmt", "DeleteStmt"] as const;

/** Judges all queries in `node`. @param ctes - names that hide tables */
function visit(node: unknown, ctes: ReadonlySet<string>, tell: Tell): void {
  if (Array.isArray(node)) {
    for (const part of node) visit(part, ctes, tell);
    return;
  }
  if (!isNode(node)) return;
  const kind = QUERIES.find((name) => name in node);
  if (kind !== undefined) return visitQuery(kind, node[kind] as Node, ctes, tell);
  for (const part of Object.values(node)) visit(part, ctes, tell);
}

function visitQuery(kind: (typeof QUERIES)[number], query: Node, outer: ReadonlySet<string>, tell: Tell): void {
  const ctes = visitWith(query, outer, tell);
  // The two sides of a union are not wrapped.
  for (const side of ["larg", "rarg"]) if (isNode(query[side])) visitQuery("SelectStmt", query[side], ctes, tell);

  const from = [query["fromClause"], query["usingClause"]];
  const target = kind === "UpdateStmt" || kind === "DeleteStmt" ? [{ RangeVar: query["relation"] }] : [];
  const relations = relationsIn([...target, ...from], ctes);
  const conditions = [query["whereClause"], ...joinConditionsIn(from)].flatMap(conjunctsOf);
  const namings = conditions.flatMap((condition) => namingsIn(condition, relations));
  judgeHomes(relations, namings, tell);

  const isLocking = query["lockingClause"] !== undefined;
  const hasOneHome = (relation: Relation) =>
    namings.some((naming) => naming.relation === relation && naming.by === "one value");
  if (isLocking && !relations.every(hasOneHome)) tell("lock");

  if (kind === "InsertStmt") judgeInsert(query, tell);
  if (hasLateralLimit(from) && tablesIn(from, ctes).length > 0) tell("lateral");
  const { withClause: _with, larg: _left, rarg: _right, ...rest } = query as Record<string, unknown>;
  visit(Object.values(rest), ctes, tell);
}

/** Judges the queries of a `with`. @returns the names that hide tables in its query */
function visitWith({ withClause }: Node, outer: ReadonlySet<string>, tell: Tell): ReadonlySet<string> {
  if (!isNode(withClause)) return outer;
  const found = new Set(outer);
  let hasLock = false;
  let hasInsert = false;
  for (const { CommonTableExpr: cte } of withClause["ctes"] as { CommonTableExpr: Node }[]) {
    const names = withClause["recursive"] === true ? new Set([...found, cte["ctename"] as string]) : found;
    const query = cte["ctequery"] as Node;
    visit(query, names, tell);
    const tables = tablesIn(query, names);
    if (withClause["recursive"] === true && tables.length > 0) tell("recursion");
    hasLock ||= tables.length > 0 && findAll(query, "lockingClause").length > 0;
    const inserted = findAll(query, "InsertStmt").map((insert) => (insert as Node)["relation"] as Node);
    if (inserted.some(({ relname }) => isTaskBound(relname))) hasInsert = true;
    found.add(cte["ctename"] as string);
  }
  if (hasInsert) tell("insert");
  if (hasInsert && hasLock) tell("lock and insert");
  return found;
}

function judgeHomes(relations: readonly Relation[], namings: readonly Naming[], tell: Tell): void {
  // Relations that are joined by home are one group, which has a home if one of them has.
  const groups = new Map(relations.map((relation) => [relation, new Set([relation])]));
  for (const { relation, by } of namings) {
    if (typeof by === "string") continue;
    const [one, other] = [groups.get(relation)!, groups.get(by)!];
    for (const member of other) {
      one.add(member);
      groups.set(member, one);
    }
  }
  const distinct = new Set(groups.values());
  if (distinct.size > 1) tell("join");
  const isNamed = (relation: Relation) =>
    namings.some((naming) => naming.relation === relation && typeof naming.by === "string");
  for (const group of distinct) if (![...group].some(isNamed)) tell("home");
}

function judgeInsert({ relation, cols, onConflictClause }: Node, tell: Tell): void {
  if (!isTaskBound((relation as Node)["relname"])) return;
  const columns = ((cols ?? []) as { ResTarget: Node }[]).map(({ ResTarget: { name } }) => name);
  if (!columns.includes("home")) tell("home");
  const infer = isNode(onConflictClause) ? onConflictClause["infer"] : undefined;
  if (!isNode(infer)) return;
  const keys = ((infer["indexElems"] ?? []) as { IndexElem: Node }[]).map(({ IndexElem: { name } }) => name);
  if (!keys.includes("home")) tell("conflict");
}

// --- Conditions ---------------------------------------------------------------------------------------------------

function conjunctsOf(condition: unknown): Node[] {
  if (!isNode(condition)) return [];
  const { BoolExpr: all } = condition;
  return isNode(all) && all["boolop"] === "AND_EXPR" ? (all["args"] as unknown[]).flatMap(conjunctsOf) : [condition];
}

/** Returns the homes that a condition names. */
function namingsIn({ A_Expr: comparison, SubLink: subquery }: Node, relations: readonly Relation[]): Naming[] {
  const homeIn = (expression: unknown) => relationOfHome(expression, relations);
  // (id, home) in (select ...)
  if (isNode(subquery) && subquery["subLinkType"] === "ANY_SUBLINK") {
    const { RowExpr: row } = subquery["testexpr"] as Node;
    const compared = isNode(row) ? (row["args"] as unknown[]) : [subquery["testexpr"]];
    return compared.flatMap(homeIn).map((relation) => ({ relation, by: "many values" }));
  }
  if (!isNode(comparison) || nameOf(comparison["name"]) !== "=") return [];
  const { kind, lexpr: left, rexpr: right } = comparison;
  if (kind === "AEXPR_IN" || kind === "AEXPR_OP_ANY")
    return homeIn(left).map((relation) => ({ relation, by: "many values" }));
  if (kind !== "AEXPR_OP") return [];
  const [of, other] = [homeIn(left)[0], homeIn(right)[0]];
  if (of !== undefined && other !== undefined) return [{ relation: of, by: other }];
  if (of !== undefined) return [{ relation: of, by: isValue(right) ? "one value" : "many values" }];
  if (other !== undefined) return [{ relation: other, by: isValue(left) ? "one value" : "many values" }];
  return [];
}

/** Returns the relation whose home an expression is, if it is one. */
function relationOfHome(expression: unknown, relations: readonly Relation[]): Relation[] {
  if (!isNode(expression) || !isNode(expression["ColumnRef"])) return [];
  const path = (expression["ColumnRef"]["fields"] as { String?: { sval: string } }[]).map(
    ({ String: text }) => text?.sval,
  );
  if (path.at(-1) !== "home") return [];
  if (path.length > 1) return relations.filter(({ name }) => name === path.at(-2));
  return relations.length === 1 ? [...relations] : [];
}

function isValue(expression: unknown): boolean {
  if (!isNode(expression)) return false;
  if (isNode(expression["TypeCast"])) return isValue(expression["TypeCast"]["arg"]);
  return "ParamRef" in expression || "A_Const" in expression;
}

// --- Relations ----------------------------------------------------------------------------------------------------

/** Returns the tables of tasks that a `from` reads itself, without those in its subqueries. */
function relationsIn(node: unknown, ctes: ReadonlySet<string>): Relation[] {
  if (Array.isArray(node)) return node.flatMap((part) => relationsIn(part, ctes));
  if (!isNode(node)) return [];
  const { RangeVar: table, JoinExpr: join } = node;
  if (isNode(join)) return relationsIn([join["larg"], join["rarg"]], ctes);
  if (!isNode(table) || !isTaskBound(table["relname"]) || ctes.has(table["relname"])) return [];
  const alias = isNode(table["alias"]) ? (table["alias"]["aliasname"] as string) : table["relname"];
  return [{ table: table["relname"], name: alias }];
}

function joinConditionsIn(node: unknown): unknown[] {
  if (Array.isArray(node)) return node.flatMap(joinConditionsIn);
  if (!isNode(node) || !isNode(node["JoinExpr"])) return [];
  const { larg, rarg, quals } = node["JoinExpr"];
  return [quals, ...joinConditionsIn([larg, rarg])];
}

function hasLateralLimit(from: unknown): boolean {
  return findAll(from, "RangeSubselect").some(
    (sub) => isNode(sub) && sub["lateral"] === true && isNode(sub["subquery"]) && findAll(sub, "limitCount").length > 0,
  );
}

/** Returns the tables of tasks anywhere in `node`. */
function tablesIn(node: unknown, ctes: ReadonlySet<string>): string[] {
  const read = findAll(node, "RangeVar") as Node[];
  const written = findAll(node, "relation") as Node[];
  return [...read, ...written].flatMap(({ relname }) => (isTaskBound(relname) && !ctes.has(relname) ? [relname] : []));
}

function isTaskBound(name: unknown): name is string {
  return typeof name === "string" && name in TASK_BOUND;
}

/** Returns all parts with this name anywhere in `node`. */
function findAll(node: unknown, name: string): unknown[] {
  if (Array.isArray(node)) return node.flatMap((part) => findAll(part, name));
  if (!isNode(node)) return [];
  return Object.entries(node).flatMap(([key, part]) => [...(key === name ? [part] : []), ...findAll(part, name)]);
}

function nameOf(name: unknown): string | undefined {
  return (name as { String?: { sval: string } }[] | undefined)?.at(-1)?.String?.sval;
}

function isNode(node: unknown): node is Node {
  return typeof node === "object" && node !== null && !Array.isArray(node);
}
