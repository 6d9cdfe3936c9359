import { t } from "../../languages/text.ts";
import { isRaw, own } from "./hints.ts";
import { put } from "./nodes.ts";
import type { NodeBase, RecordNode, TextNode } from "./nodes.ts";
import { enteredAt, planBelow } from "./planning.ts";
import type { FieldContext } from "./planning.ts";
import { initialValue, presetBelow } from "./presets.ts";
import { MAX_ROWS, rowCount, singular } from "./rows.ts";
import { largest, smallest } from "./schema-view.ts";
import { textNode } from "./texts.ts";

/** Returns a record, an object whose names a person enters too. @param schema - of each of its values */
export function planRecord(field: FieldContext, schema: unknown): RecordNode {
  const { place, base, required } = field;
  const initial = initialValue(field, "free");
  const items = isRaw(initial) ? Object.entries(initial) : null;
  const least = base.required && !base.nullable ? (largest(place, "minProperties") ?? 0) : 0;
  const count = rowCount(field, items?.length ?? least);
  const ancestors = new Set([...field.ancestors, ...place.layers]);
  const rows: RecordNode["rows"][number][] = [];
  const value: Record<string, unknown> = {};
  for (let index = 0; index < count; index++) {
    const item = items?.[index];
    const key = keyNode(field, index, item?.[0], value);
    const name = typeof key.value === "string" ? key.value : String(index);
    const preset = presetBelow(field.preset, initial, item?.[1], item !== undefined);
    const ui = own(field.ui, "additionalProperties");
    const address = { title: t("Value"), roots: [schema], required: true, preset, ui, ancestors };
    const row = planBelow(field, index, address, name);
    rows.push({ key, value: row });
    if (key.problem === null && row.value !== undefined) put(value, name, row.value);
  }
  const max = Math.min(smallest(place, "maxProperties") ?? MAX_ROWS, MAX_ROWS);
  return {
    ...base,
    kind: "record",
    rows,
    item: singular(base.title),
    canAdd: !base.readonly && count < max,
    entry: [],
    value: count === 0 && !required ? undefined : value,
    problem: null,
  };
}

function keyNode(
  field: FieldContext,
  index: number,
  initial: string | undefined,
  taken: Record<string, unknown>,
): TextNode {
  const suffix = `/${index}~key`;
  const shape = {
    look: "line",
    type: "text",
    placeholder: null,
    min: null,
    max: null,
    format: null,
    hasPattern: false,
    example: null,
  } as const;
  const texts = { title: t("Name"), description: null, help: null };
  const base: NodeBase = {
    ...field.base,
    ...texts,
    name: field.name + suffix,
    required: true,
    nullable: false,
    hidden: false,
    autofocus: false,
  };
  const node = textNode(base, shape, enteredAt(field, suffix), initial);
  if (node.problem !== null) return { ...node, problem: { code: "name_missing" } };
  return Object.hasOwn(taken, String(node.value)) ? { ...node, problem: { code: "name_twice" } } : node;
}
