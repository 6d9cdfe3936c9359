import { t } from "../../languages/text.ts";
import type { FormNode } from "../../form/plan/nodes.ts";
import type { Plan } from "../../form/plan/plan.ts";
import { isSame } from "../../form/plan/same.ts";
import type { Drawing } from "./drawing.ts";
import { TextDiff } from "./payload/text-diff.tsx";

/** Texts up to this length are shown in one line with their new text. */
const SHORT = 40;

export interface ChangesProps {
  plan: Plan;
  drawing: Drawing;
}

/** Changes of prefilled values: texts word by word, other values before and after. */
export function Changes({ plan }: ChangesProps) {
  if (plan.changes.length === 0) return null;
  const yours = t("Your changes");
  return (
    <section className="changes" aria-label={yours}>
      <p className="title">{yours}</p>
      <dl>
        {plan.changes.map(({ node, before, after }) => (
          <div key={node.name}>
            <dt dir="auto">{node.title}</dt>
            <dd>
              <Change before={textOf(node, before)} after={textOf(node, after)} nothing={t("Empty")} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Change({ before, after, nothing }: { before: string; after: string; nothing: string }) {
  const sides = (
    <>
      <del dir="auto">{before || nothing}</del> <ins dir="auto">{after || nothing}</ins>
    </>
  );
  const isLong = before !== "" && after !== "" && Math.max(before.length, after.length) > SHORT;
  return isLong ? <TextDiff before={before} after={after} otherwise={sides} /> : sides;
}

/** Returns a value with the words of its field. */
function textOf(node: FormNode, value: unknown): string {
  if (value == null) return "";
  if ("options" in node) {
    const labels = (Array.isArray(value) ? value : [value]).map(
      (one) => node.options.find((option) => isSame(option.value, one))?.label,
    );
    if (labels.every((label) => label !== undefined)) return labels.join(", ");
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}
