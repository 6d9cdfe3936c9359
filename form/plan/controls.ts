import { TYPE_BITS } from "../../json-schema/schema.ts";
import { planBoolean, planChoice, planManyOf } from "./choices.ts";
import { planGroup } from "./groups.ts";
import { fieldHints, isRaw, own } from "./hints.ts";
import { planJson } from "./json.ts";
import { itemSchemas, planList } from "./lists.ts";
import { constNode, questionOf } from "./nodes.ts";
import type { FormNode, NodeBase } from "./nodes.ts";
import { planNumber, planNumberOrText } from "./numbers.ts";
import { optionsOf } from "./options.ts";
import type { FieldAddress, FieldContext, Planning } from "./planning.ts";
import { findPreset } from "./presets.ts";
import { planRecord } from "./records.ts";
import { MAX_ROWS } from "./rows.ts";
import { first, firstText, fits, largest, placeOf, propertiesOf, requiredOf, smallest } from "./schema-view.ts";
import type { Place, SchemaSource } from "./schema-view.ts";
import { planText } from "./texts.ts";
import { planTyped } from "./typed.ts";
import { MAX_FORMS, planVariant } from "./variants.ts";

/** The maximum depth of groups, lists and forms. Deeper ones are entered as JSON. */
const MAX_DEPTH = 6;

/** Returns the node of one field: its control, what the control holds, and the value of that. */
export function planField(planning: Planning, address: FieldAddress): FormNode {
  planning.nodesLeft--;
  const { name, required } = address;
  const place = placeOf(planning.source, address.roots, address.resolved);
  const hints = fieldHints(address.ui);
  const preset = findPreset(planning, address, place);
  const hasValue = preset !== null && "value" in preset;
  // A required field that no one can answer must have a value before it may be hidden or read-only.
  const canBeFixed = hasValue || !required;
  const readonly = hints.readonly && canBeFixed;
  const base: NodeBase = {
    name,
    pointer: address.pointer,
    title: hints.title ?? firstText(place, "title") ?? address.title,
    description: hints.description ?? firstText(place, "description"),
    help: hints.help,
    required,
    nullable: takesNull(planning.source, place),
    readonly,
    hidden: hints.widget === "hidden" && canBeFixed,
    autofocus: hints.autofocus,
  };
  if (base.hidden) return constNode(base, hasValue ? preset.value : undefined);
  const entered = planning.entries[name];
  const field: FieldContext = { ...address, planning, place, hints, base, preset, entered, isStale: false };
  const node = chooseControl(readonly ? { ...field, entered: undefined } : field);
  if (!readonly || node.problem === null) return node;
  // A read-only field with a problem, such as a choice that its default does not make, could never be corrected.
  return chooseControl({ ...field, base: { ...base, readonly: false } });
}

/**
 * Returns whether the place accepts null. A large form may use up all questions; then the result is yes for the rest.
 */
function takesNull(source: SchemaSource, place: Place): boolean {
  return place.mayBeNull && source.questions.left > 0 && fits(source, place.roots, null);
}

function chooseControl(field: FieldContext): FormNode {
  const { planning, place, hints, depth } = field;
  if (hints.widget === "json" || depth > MAX_DEPTH || place.types === 0) return planJson(field);
  const node = controlOf(field);
  const question = planning.entries[`${node.name}~of`]?.[0];
  // An entry for other options is dropped: the second one of them is another answer.
  return question === undefined || question === questionOf(node)
    ? node
    : controlOf({ ...field, entered: undefined, isStale: true });
}

function controlOf(field: FieldContext): FormNode {
  return planTyped(field) ?? planChoice(field) ?? unionControl(field) ?? controlOfType(field);
}

function unionControl(field: FieldContext): FormNode | null {
  const [union] = field.place.unions;
  if (union === undefined) return null;
  if (union.branches.length > MAX_FORMS) return planJson(field);
  return planNumberOrText(field, union) ?? (isFull(field) ? planJson(field) : planVariant(field, union));
}

/** Returns whether further groups, lists and forms are entered as JSON. A field that is one node is always drawn. */
function isFull({ planning }: FieldContext): boolean {
  return planning.nodesLeft < 0;
}

function controlOfType(field: FieldContext): FormNode {
  switch (typeOf(field.place)) {
    case TYPE_BITS.boolean:
      return planBoolean(field);
    case TYPE_BITS.string:
      return planText(field);
    case TYPE_BITS.integer:
    case TYPE_BITS.number:
    case TYPE_BITS.number | TYPE_BITS.integer:
      return planNumber(field, field.place, false);
    case TYPE_BITS.array:
      return isFull(field) ? planJson(field) : arrayControl(field);
    case TYPE_BITS.object:
      return isFull(field) ? planJson(field) : objectControl(field);
    default:
      return planJson(field);
  }
}

const KEYWORDS_OF: readonly (readonly [number, readonly string[]])[] = [
  [TYPE_BITS.object, ["properties", "required", "additionalProperties", "patternProperties", "dependentRequired"]],
  [TYPE_BITS.array, ["items", "prefixItems"]],
  [TYPE_BITS.string, ["minLength", "maxLength", "pattern", "format", "contentMediaType"]],
  [TYPE_BITS.number, ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

/** Returns the one type that a control is for. A schema without `type` is known by its keywords; 0: any type. */
function typeOf(place: Place): number {
  const types = place.types & ~TYPE_BITS.null;
  if (place.isTyped) return types;
  const found = KEYWORDS_OF.find(([, keywords]) => keywords.some((keyword) => first(place, keyword) !== undefined));
  return found === undefined ? 0 : found[0] & types;
}

/** Returns checkboxes where the items have options, JSON where nothing is known about the items, or else a list. */
function arrayControl(field: FieldContext): FormNode {
  const { planning, place, hints, ui } = field;
  const schemas = itemSchemas(place);
  const min = largest(place, "minItems");
  const max = smallest(place, "maxItems");
  if (schemas.prefix.length === 0) {
    if (schemas.rest.every((raw) => raw === true) || (min ?? 0) > MAX_ROWS) return planJson(field);
    const itemHints = fieldHints(own(ui, "items"));
    const named = itemHints.enumNames === null ? hints : itemHints;
    const options = optionsOf(planning.source, placeOf(planning.source, schemas.rest), named, true);
    // A box can be ticked once. A list that needs more items than options repeats one, which only rows can do.
    if (options !== null && options.length >= Math.max(2, min ?? 0)) return planManyOf(field, options, min, max);
  }
  return planList(field, schemas, min, max);
}

/** Returns a group where the schema names fields, a record where it describes only their values, or else JSON. */
function objectControl(field: FieldContext): FormNode {
  const { place, base } = field;
  const hasFields =
    propertiesOf(place).size > 0 || requiredOf(place, () => false).size > 0 || place.conditions.length > 0;
  if (hasFields) return planGroup(field);
  const others = first(place, "additionalProperties");
  const patterns = first(place, "patternProperties");
  const values =
    isRaw(others) && Object.keys(others).length > 0 ? others : isRaw(patterns) ? Object.values(patterns)[0] : undefined;
  if (values !== undefined) return planRecord(field, values);
  // `false`: the object has to be empty.
  return others === false ? constNode(base, base.required ? {} : undefined) : planJson(field);
}
