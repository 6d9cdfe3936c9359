import { TYPE_BITS } from "./schema.ts";
import type { Choice, ObjectRules, Schema, SchemaNode } from "./schema.ts";

/**
 * Returns whether an object may fit a schema. `false` is certain: no object fits. If the result is hard to find, it is
 * `true`. Each subschema is read once, so the work is linear in the size of the schema.
 */
export function takesObjects(schema: Schema): boolean {
  return (kindsOf(new Map(), schema.root, 0).some & OBJECT) !== 0;
}

/** The kinds of values that a schema accepts, as bits of `TYPE_BITS`. `number` means numbers with a fraction. */
interface Kinds {
  /** Some value of the kind may fit. Without the bit, no value of the kind fits. */
  readonly some: number;
  /** Every value of the kind certainly fits. */
  readonly every: number;
}

const { integer: WHOLE, number: FRACTION, string: STRING, array: ARRAY, object: OBJECT } = TYPE_BITS;
const ALL = Object.values(TYPE_BITS).reduce<number>((all, bit) => all | bit, 0);
const NOTHING_KNOWN: Kinds = { some: ALL, every: 0 };
const ANYTHING: Kinds = { some: ALL, every: ALL };
const NOTHING: Kinds = { some: 0, every: 0 };

/** Limit of nested schemas and followed `$ref`s. The stack has room for many times that. */
const MAX_DEPTH = 500;

type KnownKinds = Map<SchemaNode, Kinds>;

function kindsOf(known: KnownKinds, node: SchemaNode, depth: number): Kinds {
  if (node.always !== null) return node.always ? ANYTHING : NOTHING;
  const before = known.get(node);
  if (before !== undefined) return before;
  if (depth === MAX_DEPTH) return NOTHING_KNOWN;
  // A schema that refers back to itself finds this value.
  known.set(node, NOTHING_KNOWN);
  const found = kindsOfKeywords(known, node, depth + 1);
  known.set(node, found);
  return found;
}

function kindsOfKeywords(known: KnownKinds, node: SchemaNode, depth: number): Kinds {
  const of = (child: SchemaNode): Kinds => kindsOf(known, child, depth);
  // `number` includes whole numbers.
  const types = node.types === 0 ? ALL : (node.types & FRACTION) === 0 ? node.types : node.types | WHOLE;
  let some = types;
  let every = types;
  const and = (kinds: Kinds): void => {
    some &= kinds.some;
    every &= kinds.every;
  };

  for (const choice of [node.constant, node.choices]) if (choice !== null) and({ some: kindsIn(choice), every: 0 });
  if (node.number !== null) every &= ~(WHOLE | FRACTION);
  if (node.string !== null) every &= ~STRING;
  if (node.array !== null || node.unevaluatedItems !== null) every &= ~ARRAY;
  if (node.object !== null || node.unevaluatedProperties !== null) every &= ~OBJECT;
  if (node.object !== null && isImpossible(node.object, of)) some &= ~OBJECT;

  if (node.ref !== null) and(of(node.ref));
  // A named dynamic reference may lead to another node.
  if (node.dynamicRef !== null) and(node.dynamicRef.name === null ? of(node.dynamicRef.fallback) : NOTHING_KNOWN);
  for (const branch of node.allOf ?? []) and(of(branch));
  if (node.anyOf !== null) and(anyOf(node.anyOf.map(of)));
  if (node.oneOf !== null) and(oneOf(node.oneOf.map(of)));
  if (node.not !== null) {
    const not = of(node.not);
    and({ some: ~not.every, every: ~not.some });
  }
  if (node.if !== null) {
    const condition = of(node.if);
    const onTrue = node.onTrue === null ? ANYTHING : of(node.onTrue);
    const onFalse = node.onFalse === null ? ANYTHING : of(node.onFalse);
    and({
      some: (condition.some & onTrue.some) | (~condition.every & onFalse.some),
      every: (onTrue.every & onFalse.every) | (condition.every & onTrue.every) | (~condition.some & onFalse.every),
    });
  }
  return { some, every };
}

function anyOf(branches: readonly Kinds[]): Kinds {
  return branches.reduce((all, { some, every }) => ({ some: all.some | some, every: all.every | every }), NOTHING);
}

function oneOf(branches: readonly Kinds[]): Kinds {
  let some = 0;
  let every = 0;
  let someTwice = 0;
  let everyTwice = 0;
  for (const branch of branches) {
    someTwice |= some & branch.some;
    everyTwice |= every & branch.every;
    some |= branch.some;
    every |= branch.every;
  }
  return { some: some & ~everyTwice, every: every & ~someTwice };
}

function kindsIn({ values }: Choice): number {
  return values.reduce<number>((all, value) => all | kindOf(value), 0);
}

function kindOf(value: unknown): number {
  if (value === null) return TYPE_BITS.null;
  if (typeof value === "boolean") return TYPE_BITS.boolean;
  if (typeof value === "number") return Number.isInteger(value) ? WHOLE : FRACTION;
  if (typeof value === "string") return STRING;
  return Array.isArray(value) ? ARRAY : OBJECT;
}

/** Returns whether these rules require a property that can have no value, or more properties than they allow. */
function isImpossible(rules: ObjectRules, of: (child: SchemaNode) => Kinds): boolean {
  const { required, minProperties, maxProperties, properties, patternProperties, additionalProperties } = rules;
  const least = Math.max(minProperties ?? 0, required?.length ?? 0);
  if (maxProperties !== null && least > maxProperties) return true;
  return (required ?? []).some((name) => {
    const node = properties?.get(name) ?? (patternProperties === null ? additionalProperties : null);
    return node !== null && of(node).some === 0;
  });
}
