import type { Entries } from "./entries.ts";
import { nodesOf, type FormNode } from "./nodes.ts";
import { planForm, type Form } from "./plan.ts";
import { isSame } from "./same.ts";

/**
 * Returns what a person has entered, without what a form had filled in from its payload and they left as it was. A form with
 * another payload then fills that in from its own.
 *
 * @param form - as they saw it
 */
export function touchedIn(form: Form, entries: Entries): Entries {
  const filled = [...form.hints.prefill.keys()];
  const shown = nodesByName(form, without(entries, filled));
  const entered = nodesByName(form, entries);
  return without(
    entries,
    filled.flatMap((name) => untouchedIn(entered.get(name), shown)),
  );
}

function nodesByName(form: Form, entries: Entries): ReadonlyMap<string, FormNode> {
  return new Map([...nodesOf(planForm(form, entries).root)].map((node) => [node.name, node]));
}

/** Returns the names of untouched fields. Those of a list or a record belong together, because their rows have no names. */
function untouchedIn(node: FormNode | undefined, shown: ReadonlyMap<string, FormNode>): string[] {
  const before = node && shown.get(node.name);
  if (node === undefined || before === undefined) return [];
  const isRead = [...nodesOf(node)].every(({ problem }) => problem === null);
  if (isRead && isSame(node.value, before.value)) return [node.name];
  return node.kind === "group" ? node.children.flatMap((child) => untouchedIn(child, shown)) : [];
}

/** @param names - of fields that go, with what is in them. In the name of an entry, `~` and a letter come after that of its field. */
function without(entries: Entries, names: readonly string[]): Entries {
  const isOf = (name: string, key: string): boolean =>
    key.startsWith(name) && /^(?:$|\/|~[a-z])/.test(key.slice(name.length));
  const kept = Object.create(null) as Record<string, readonly string[]>;
  for (const [key, texts] of Object.entries(entries)) if (!names.some((name) => isOf(name, key))) kept[key] = texts;
  return kept;
}
