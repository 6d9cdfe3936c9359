import { t } from "../../languages/text.ts";
import { TYPE_BITS } from "../../json-schema/schema.ts";
import type { Option, VariantNode } from "./nodes.ts";
import type { FieldContext } from "./planning.ts";
import { initialValue } from "./presets.ts";
import { outcomeOf } from "./readings.ts";
import { first, firstText, fits, placeOf, propertiesOf, requiredOf } from "./schema-view.ts";
import type { Layer, Place, SchemaSource, Union } from "./schema-view.ts";
import { titleOf } from "../titles.ts";

/** The maximum number of forms to choose from. No one reads more. */
export const MAX_FORMS = 50;

/** Returns the control for one of several forms: a choice among them and the chosen form. */
export function planVariant(field: FieldContext, { list, branches }: Union): VariantNode {
  const { planning, base, preset, resolved, depth } = field;
  planning.branches = true;
  const options = numberDoubles(branches.map((branch, index) => optionOf(field, branch, index)));
  const name = `${field.name}~form${resolved.size === 0 ? "" : resolved.size}`;
  const initial = initialValue(field, "choice");
  const initialIndex =
    initial === undefined
      ? -1
      : branches.findIndex((branch) => fits(planning.source, [...field.roots, branch], initial));
  const entry =
    (base.readonly || field.isStale ? undefined : planning.entries[name]) ??
    (initialIndex < 0 ? [] : [String(initialIndex)]);
  const text = entry.find((item) => item !== "") ?? "";
  const branch = /^\d{1,4}$/.test(text) ? branches[Number(text)] : undefined;
  const node = { ...base, name, kind: "variant", options, entry } as const;
  if (branch === undefined) return { ...node, body: null, ...outcomeOf(base, "blank", "choose") };
  const body = planning.planField({
    ...field,
    title: base.title,
    required: true,
    preset: Number(text) === initialIndex ? preset : preset?.from === "answer" ? { from: "nothing" } : null,
    resolved: new Map([...resolved, [list, branch]]),
    depth: depth + 1,
  });
  return { ...node, body, value: body.value, problem: null };
}

function optionOf({ planning, hints }: FieldContext, branch: Layer, index: number): Option {
  const place = placeOf(planning.source, [branch]);
  const label = hints.enumNames?.[index] ?? nameOfForm(planning.source, place);
  return { label, description: firstText(place, "description"), tone: null, value: index };
}

function nameOfType(types: number): string | null {
  switch (types) {
    case TYPE_BITS.string:
      return t("Text");
    case TYPE_BITS.number | TYPE_BITS.integer:
      return t("Number");
    case TYPE_BITS.integer:
      return t("Whole number");
    case TYPE_BITS.boolean:
      return t("Yes or no");
    case TYPE_BITS.array:
      return t("List");
    case TYPE_BITS.object:
      return t("Details");
    default:
      return null;
  }
}

/** Returns the title of a form, else the value of its tag, else the names of its fields, else its type. */
function nameOfForm(source: SchemaSource, place: Place): string {
  const title = firstText(place, "title");
  if (title !== null) return title;
  const properties = [...propertiesOf(place)];
  for (const [, roots] of properties) {
    const constant = first(placeOf(source, roots), "const");
    if (typeof constant === "string" && constant !== "") return titleOf(constant);
  }
  if (properties.length > 0) {
    const required = requiredOf(place, () => false);
    const titles = properties
      .filter(([key]) => required.size === 0 || required.has(key))
      .slice(0, 3)
      .map(([key, roots], index) => {
        const name = firstText(placeOf(source, roots), "title") ?? titleOf(key);
        return index === 0 ? name : name.charAt(0).toLowerCase() + name.slice(1);
      });
    if (titles.length > 0) return titles.join(", ");
  }
  return (place.isTyped ? nameOfType(place.types & ~TYPE_BITS.null) : null) ?? t("Other");
}

/** Adds a number to each label that another option has as well. */
function numberDoubles(options: readonly Option[]): readonly Option[] {
  return options.map((option, index) => {
    const before = options.slice(0, index).filter((other) => other.label === option.label).length;
    return before === 0 ? option : { ...option, label: `${option.label} (${before + 1})` };
  });
}
