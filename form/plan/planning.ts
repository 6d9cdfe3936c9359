import { token } from "./entries.ts";
import type { Entries } from "./entries.ts";
import type { FieldHints } from "./hints.ts";
import type { FormNode, NodeBase } from "./nodes.ts";
import type { Place, Resolved, SchemaSource } from "./schema-view.ts";

/** The state of one plan, shared by all of its fields. */
export interface Planning {
  readonly source: SchemaSource;
  readonly entries: Entries;
  /** Returns the payload's value for the field at a pointer of the answer, or undefined. */
  readonly prefill: (pointer: string) => unknown;
  /** Pointer of the field that is the decision. null until the root group has been planned. */
  decision: string | null;
  readonly zone: string;
  readonly now: Date;
  /** Below 0, groups, lists and forms are entered as JSON. */
  nodesLeft: number;
  /** Further nodes, for the rows of fixed lists. */
  nodesSpare: number;
  /** Values copied from the payload, by the name of their field, to list later what a person changed. */
  readonly prefilled: Map<string, unknown>;
  /** An entry decides which questions are asked. */
  branches: boolean;
  /** Plans a field inside another one: `planField` of controls.ts, which imports the modules that call this. */
  readonly planField: (address: FieldAddress) => FormNode;
}

/** The place of a field, and data from the field around it. */
export interface FieldAddress {
  readonly name: string;
  readonly pointer: string;
  readonly title: string;
  readonly roots: readonly unknown[];
  readonly resolved: Resolved;
  readonly required: boolean;
  readonly preset: Preset | null;
  readonly ui: unknown;
  readonly depth: number;
  /** Schemas of the fields around it: a field that has one of them is recursive. */
  readonly ancestors: ReadonlySet<unknown>;
}

/** A field whose schema, hints and preset have been read, so that its control can be chosen. */
export interface FieldContext extends FieldAddress {
  readonly planning: Planning;
  readonly place: Place;
  readonly hints: FieldHints;
  /** The part of its node that all nodes share. */
  readonly base: NodeBase;
  readonly entered: readonly string[] | undefined;
  /** The entry answered another question, so it was dropped. */
  readonly isStale: boolean;
}

/** Returns the entry with the name of a field and a suffix. Entries for a read-only field are ignored. */
export function enteredAt({ planning, name, base }: FieldContext, suffix: string): readonly string[] | undefined {
  return base.readonly ? undefined : planning.entries[name + suffix];
}

/** Plans a field inside another one. If its name in the form is not its key in the answer, `key` is the latter. */
export function planBelow(
  field: FieldContext,
  name: string | number,
  rest: Omit<FieldAddress, "name" | "pointer" | "resolved" | "depth">,
  key = name,
): FormNode {
  return field.planning.planField({
    ...rest,
    name: `${field.name}/${token(name)}`,
    pointer: `${field.pointer}/${token(key)}`,
    resolved: new Map(),
    depth: field.depth + 1,
  });
}

/** A value that a field starts with, and its origin. */
export type Preset =
  | { readonly from: "answer" | "prefill" | "default"; readonly value: unknown }
  /** There is an earlier answer, and it has no value for this field. */
  | { readonly from: "nothing" };
