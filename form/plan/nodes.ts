import { hashText } from "../../json-schema/equality.ts";
import type { Tone } from "./hints.ts";

/**
 * A field plan: the tree that every surface renders. It is made for the current entries. So it has the current rows,
 * the chosen branch, the fields that apply now, and the content of each control. Rendering decides nothing.
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

/** The properties of all nodes that do not depend on entries. */
export type NodeBase = Omit<FormNode, "kind" | "entry" | "value" | "problem">;

interface Common {
  /** The name of its entries; unique in the plan. (entries.ts) */
  readonly name: string;
  /** JSON Pointer of its value in the answer. */
  readonly pointer: string;
  readonly title: string;
  readonly description: string | null;
  /** Further instructions, shown with the control. */
  readonly help: string | null;
  /** Without a value, the answer is incomplete. */
  readonly required: boolean;
  /** A required field that is left empty becomes null. */
  readonly nullable: boolean;
  readonly readonly: boolean;
  /** Part of the answer but not rendered. */
  readonly hidden: boolean;
  readonly autofocus: boolean;
  /** The content of the control, as entries of `name`. */
  readonly entry: readonly string[];
  /** undefined if it is left out of the answer. */
  readonly value: unknown;
  /** Why a required value is missing. */
  readonly problem: Problem | null;
}

/** A problem with an entry, found before any schema is checked. The sentences are in messages.ts. */
export type Problem =
  | {
      readonly code:
        | "missing"
        | "choose"
        | "tick"
        | "not_typed"
        | "name_missing"
        | "name_twice"
        | "not_in_list"
        | "not_a_color";
    }
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
  /** true comes first. */
  readonly options: readonly [Option, Option];
}

/** A consent: only a ticked box gives its value. */
export interface ConfirmNode extends Common {
  readonly kind: "confirm";
}

/** Not rendered, because there is only one value. */
export interface ConstNode extends Common {
  readonly kind: "const";
}

/** Entries are indexes of options. With the look "filter", they are labels. */
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
  /** The schema has its own pattern. `example` is a matching text, if the schema gives one. */
  readonly hasPattern: boolean;
  readonly example: string | null;
}

export interface NumberNode extends Common {
  readonly kind: "number";
  readonly placeholder: string | null;
  readonly whole: boolean;
  /**
   * The value is the text of the number, because the schema accepts decimals as texts, and a number may lose digits.
   */
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
  /** The zone of the entry; null if the value has no zone. */
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
  /** "closed": not part of the answer until it is opened. "open": can be closed again. "fixed": always part of it. */
  readonly state: "fixed" | "open" | "closed";
  /** At least one of these is required, by name. The error message lists them. */
  readonly oneOf: readonly (readonly string[])[];
}

/** A value that no control can express. It is entered as JSON and checked during typing. */
export interface JsonNode extends Common {
  readonly kind: "json";
}

export function constNode(base: NodeBase, value: unknown): ConstNode {
  return { ...base, kind: "const", hidden: true, entry: [], value, problem: null };
}

/** Sets a property. A plain assignment fails for a field with the name `__proto__`. */
export function put(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Returns whether the form may be sent without it. */
export function isOptional(node: FormNode): boolean {
  return !node.required || node.nullable;
}

/**
 * Returns a short text that identifies the question of a node. Entries for another question with the same name are
 * ignored.
 */
export function questionOf(node: FormNode): string {
  const options = "options" in node ? node.options.map(({ label, value }) => [label, value]) : [];
  return fingerprint(node.kind + JSON.stringify(options));
}

/** Returns a short hash that detects changes. It is not for security. */
export function fingerprint(text: string): string {
  return hashText({ left: Infinity }, text, 17).toString(36);
}

/** Yields `node` and all nodes below it, in the order of rendering. */
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
