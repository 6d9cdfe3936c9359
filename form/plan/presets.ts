import { t } from "../../languages/text.ts";
import type { NodeBase, Option } from "./nodes.ts";
import type { FieldAddress, FieldContext, Planning, Preset } from "./planning.ts";
import { first, fits } from "./schema-view.ts";
import type { Place } from "./schema-view.ts";

/** Returns the preset of a field. An earlier answer comes before a copy of the payload, and a copy before a default. */
export function findPreset(planning: Planning, address: FieldAddress, place: Place): Preset | null {
  const { preset, resolved } = address;
  if (preset !== null && preset.from !== "default") return preset;
  // In a chosen branch, a value that fits only another branch is ignored.
  const roots = [...address.roots, ...resolved.values()];
  const copy = planning.prefill(address.pointer);
  if (copy !== undefined && fits(planning.source, roots, copy)) {
    planning.prefilled.set(address.name, copy);
    return { from: "prefill", value: copy };
  }
  const value = first(place, "default");
  if (preset !== null) return preset;
  if (value === undefined || value === null || (resolved.size > 0 && !fits(planning.source, roots, value))) return null;
  return { from: "default", value };
}

/** Returns the preset of a field inside another one. `hasValue`: `value` is in the initial value of the field around it. */
export function presetBelow(preset: Preset | null, initial: unknown, value: unknown, hasValue: boolean): Preset | null {
  if (preset === null) return null;
  if (preset.from === "nothing" || (preset.from === "answer" && !hasValue)) return { from: "nothing" };
  return initial === undefined || !hasValue || value === undefined ? null : { from: preset.from, value };
}

/** The kind of a control. A "decision" is a yes or no, or one of few options; a "consent" is a box to tick. */
type Asks = "free" | "choice" | "decision" | "consent";

/**
 * Returns the initial content of a control. Decisions and consents are never prefilled by themselves; defaults never preselect
 * a choice.
 */
export function initialValue({ preset, planning, name, pointer }: FieldContext, asks: Asks): unknown {
  if (preset === null || preset.from === "nothing") return undefined;
  if (preset.from === "answer" || asks === "free") return preset.value;
  // Inside a group that was filled in as a whole, a ticked box is a value like any other.
  const isConsent = asks === "consent" && planning.prefilled.has(name);
  const isOpen = isConsent || (asks === "decision" && pointer === planning.decision);
  if (isOpen) planning.prefilled.delete(name);
  return isOpen || preset.from === "default" ? undefined : preset.value;
}

/**
 * Adds a help text that names the default, because a choice is not preselected and an absent value means the default.
 */
export function withDefaultHelp(field: FieldContext, base: NodeBase, options: readonly Option[]): NodeBase {
  const { preset, required } = field;
  if (required || preset?.from !== "default" || base.help !== null) return base;
  const option = options.find((one) => one.value === preset.value);
  return option === undefined ? base : { ...base, help: t("Default: {option}", { option: option.label }) };
}
