import { hashText } from "../../json-schema/equality.ts";
import type { Tone } from "./hints.ts";

/**
 * A field plan: the tree that every surface draws. It is made for what has been entered so far, so it holds the rows that
 * are there, the branch that was chosen, the fields that apply now, and what each control shows; drawing it decides
 * nothing.
 */
export type FormNode =
  | BoolNode
  | ConfirmNode
  | ConstNode
  | ChoiceNode
  | TextNode
  | NumberNode
  | TimeNode
  | ListNode
  | RecordNode
  | VariantNode
  | GroupNode
  | JsonNode;

/** What all nodes have in common, before any entry is read. */
export type NodeBase = Omit<FormNode, "kind" | "entry" | "value" | "problem">;

interface Common {
  /** Where its entries stand; unique in the plan. (entries.ts) */
  readonly name: string;
  /** JSON Pointer of its value in the answer. */
  readonly pointer: string;
  readonly title: string;
  readonly description: string | null;
  /** More about how to fill it in, shown with the control. */
  readonly help: string | null;
  /** Without a value the answer is not complete. */
  readonly required: boolean;
  /** Left empty, a required field becomes null. */
  readonly nullable: boolean;
  readonly readonly: boolean;
  /** Takes part in the answer but is not drawn. */
  readonly hidden: boolean;
  readonly autofocus: boolean;
  /** What stands in the control, as entries of `name`. */
  readonly entry: readonly string[];
  /** undefined: left out of the answer. */
  readonly value: unknown;
  /** Why there is no value although there should be one. */
  readonly problem: Problem | null;
}

/** What is wrong with what was entered, before any schema is asked. The sentences are in messages.ts. */
export type Problem =
  | { readonly code: "missing" | "choose" | "tick" | "name_missing" | "name_twice" | "not_in_list" | "not_a_color" }
  | {
      readonly code:
        | "not_a_number"
        | "not_whole"
        | "thousands"
        | "too_exact"
        | "not_a_date"
        | "not_a_time"
        | "no_such_time";
    }
  | { readonly code: "too_deep" }
  | { readonly code: "not_json"; readonly line: number };

export interface Option {
  readonly label: string;
  readonly description: string | null;
  readonly tone: Tone | null;
  readonly value: unknown;
}

/** Two equal buttons, or a checkbox whose unticked state leaves the field out. */
export interface BoolNode extends Common {
  readonly kind: "bool";
  readonly look: "buttons" | "checkbox";
  /** true first. */
  readonly options: readonly [Option, Option];
}

/** A consent: only ticking it gives its value. */
export interface ConfirmNode extends Common {
  readonly kind: "confirm";
}

/** Not drawn: there is only one value. */
export interface ConstNode extends Common {
  readonly kind: "const";
}

/** Entries are indexes of options, with look "filter" their labels. */
export interface ChoiceNode extends Common {
  readonly kind: "choice";
  readonly multiple: boolean;
  readonly look: "buttons" | "radio" | "select" | "filter" | "checkboxes";
  readonly options: readonly Option[];
  readonly min: number | null;
  readonly max: number | null;
}

export interface TextNode extends Common {
  readonly kind: "text";
  readonly look: "line" | "area" | "password" | "color";
  readonly type: "text" | "email" | "url";
  readonly placeholder: string | null;
  /** In characters (code points). */
  readonly min: number | null;
  readonly max: number | null;
  readonly format: string | null;
  /** The schema has a pattern of its own; an example of what fits, if it gives one. */
  readonly hasPattern: boolean;
  readonly example: string | null;
}

export interface NumberNode extends Common {
  readonly kind: "number";
  readonly placeholder: string | null;
  readonly whole: boolean;
  /** The value is the text of the number, since the schema takes decimals as texts and some would lose digits. */
  readonly asText: boolean;
  readonly min: number | null;
  readonly max: number | null;
  /** The bounds themselves are not allowed. */
  readonly above: number | null;
  readonly below: number | null;
  readonly step: number | null;
}

export interface TimeNode extends Common {
  readonly kind: "date" | "time" | "datetime";
  /** Of what is entered and shown; null where the value has no zone. */
  readonly zone: string | null;
}

export interface ListNode extends Common {
  readonly kind: "list";
  readonly rows: readonly FormNode[];
  /** "line item" in "Add line item". */
  readonly item: string;
  readonly canAdd: boolean;
  readonly canRemove: boolean;
  readonly min: number | null;
  readonly max: number | null;
}

export interface RecordNode extends Common {
  readonly kind: "record";
  readonly rows: readonly { readonly key: TextNode; readonly value: FormNode }[];
  /** "label" in "Add label". */
  readonly item: string;
  readonly canAdd: boolean;
}

/** Exactly one of several forms. */
export interface VariantNode extends Common {
  readonly kind: "variant";
  readonly options: readonly Option[];
  readonly body: FormNode | null;
}

export interface GroupNode extends Common {
  readonly kind: "group";
  readonly children: readonly FormNode[];
  /** "closed": not part of the answer until it is opened. "open": can be closed again. "fixed": neither. */
  readonly state: "fixed" | "open" | "closed";
  /** One of these at least is demanded, by name; for the sentence when none is there. */
  readonly oneOf: readonly (readonly string[])[];
}

/** What no control can express: JSON, checked as it is written. */
export interface JsonNode extends Common {
  readonly kind: "json";
}

export function constNode(base: NodeBase, value: unknown): ConstNode {
  return { ...base, kind: "const", hidden: true, entry: [], value, problem: null };
}

/** Sets a property. An assignment would not: a field may be called `__proto__`. */
export function put(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The form may be sent without it. */
export function isOptional(node: FormNode): boolean {
  return !node.required || node.nullable;
}

/** Which question a node asks, as a short text: what was entered for another one of the same name means nothing here. */
export function questionOf(node: FormNode): string {
  const options = "options" in node ? node.options.map(({ label, value }) => [label, value]) : [];
  return fingerprint(node.kind + JSON.stringify(options));
}

/** It tells changes, it guards nothing. */
export function fingerprint(text: string): string {
  return hashText({ left: Infinity }, text, 17).toString(36);
}

/** All nodes below and including `node`, in the order in which they are drawn. */
export function* nodesOf(node: FormNode): Generator<FormNode> {
  yield node;
  switch (node.kind) {
    case "group":
      for (const child of node.children) yield* nodesOf(child);
      return;
    case "list":
      for (const row of node.rows) yield* nodesOf(row);
      return;
    case "record":
      for (const row of node.rows) {
        yield row.key;
        yield* nodesOf(row.value);
      }
      return;
    case "variant":
      if (node.body !== null) yield* nodesOf(node.body);
      return;
    default:
      return;
  }
}
