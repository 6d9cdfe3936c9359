import { t } from "../../languages/text.ts";
import type { FormNode } from "./nodes.ts";
import type { Plan } from "./plan.ts";

/** An entry of a person, in words. */
export interface Entered {
  /** The name of the field; unique in the plan. */
  readonly name: string;
  /** The title of the field behind the titles around it: "Item 1 › Quantity". */
  readonly title: string;
  readonly text: string;
}

/** Returns the contents of a form's controls, even if they are invalid. Secrets are masked. */
export function enteredIn(plan: Plan): readonly Entered[] {
  const entered: Entered[] = [];
  add(entered, plan.root, []);
  return entered;
}

function add(entered: Entered[], node: FormNode, around: readonly string[]): void {
  if (node.hidden) return;
  const path = node.name === "" ? around : [...around, node.title];
  switch (node.kind) {
    case "group":
      for (const child of node.children) add(entered, child, path);
      return;
    case "list":
      // The title of a row names the list: "Item 1".
      for (const row of node.rows) add(entered, row, around);
      return;
    case "record":
      for (const { key, value } of node.rows) add(entered, { ...value, title: key.entry[0] || key.title }, path);
      return;
    default: {
      const text = textOf(node);
      const title = path.join(" › ") || node.title;
      if (text !== "") entered.push({ name: node.name, title, text });
      if (node.kind === "variant" && node.body !== null) addBody(entered, node.body, path);
    }
  }
}

/** Adds the entries of a chosen form, whose title is that of the choice. */
function addBody(entered: Entered[], body: FormNode, path: readonly string[]): void {
  if (body.kind === "group") for (const child of body.children) add(entered, child, path);
  else add(entered, body, path);
}

function textOf(node: FormNode): string {
  const { entry } = node;
  switch (node.kind) {
    case "bool":
      return node.options.find(({ value }) => entry.includes(String(value)))?.label ?? "";
    case "confirm":
      return entry.includes("true") ? t("Yes") : "";
    case "choice":
    case "variant": {
      if (node.kind === "choice" && node.look === "filter") return entry[0] ?? "";
      const labels = node.options.flatMap(({ label }, index) => (entry.includes(String(index)) ? [label] : []));
      return labels.join(", ");
    }
    case "text":
      return node.look === "password" ? "•".repeat(Math.min(entry[0]?.length ?? 0, 8)) : (entry[0] ?? "");
    case "datetime":
      return (entry[0] ?? "").replace("T", " ");
    default:
      return entry[0] ?? "";
  }
}
