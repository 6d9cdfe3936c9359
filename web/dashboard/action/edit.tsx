import type { ReactNode } from "react";
import { t } from "../../../languages/text.ts";
import type { FormNode } from "../../../form/plan/nodes.ts";
import { valueAt } from "../../../form/plan/plan.ts";
import { isSame } from "../../../form/plan/same.ts";
import type { Drawing } from "../../form/drawing.ts";
import { ErrorLine } from "../../form/field.tsx";
import { FieldOf } from "../../form/fields.tsx";
import { TextDiff } from "../../form/payload/text-diff.tsx";
import type { Action } from "./asked.ts";
import { useArguments } from "./values.tsx";
import type { DrawArgument } from "./values.tsx";

interface EditProps {
  action: Action;
  /** The arguments as a form. */
  node: FormNode;
  drawing: Drawing;
}

/** The arguments as a form. Each field is beside its original value. */
export function EditArguments({ action, node, drawing }: EditProps) {
  const draw = useArguments(action);
  return (
    <div className="action-edit">
      <div className="action-columns" aria-hidden="true">
        <span>{t("As proposed")}</span>
        <span>{t("Your version")}</span>
      </div>
      <Part node={node} top={node.pointer} action={action} draw={draw} drawing={drawing} />
    </div>
  );
}

interface PartProps extends EditProps {
  /** The pointer of all arguments in the answer. */
  top: string;
  draw: DrawArgument;
}

function Part(props: PartProps): ReactNode {
  const { node, top, action, drawing } = props;
  const pointer = node.pointer.slice(top.length);
  if (node.hidden) return null;
  const below = (nodes: readonly FormNode[]) => nodes.map((one) => <Part key={one.name} {...props} node={one} />);
  // Rows of a list keep their places if only some of them may change.
  const reach = reachOf(action.editable, pointer);
  const parts =
    node.kind === "group" && node.state !== "closed"
      ? node.children
      : node.kind === "list" && reach === "part"
        ? node.rows
        : null;
  if (parts === null || reach === "none" || (node.kind === "group" && node.state === "open" && reach === "whole"))
    return <Side {...props} pointer={pointer} isFixed={reach === "none"} />;
  if (pointer === "")
    return (
      <>
        <ErrorLine node={node} drawing={drawing} />
        {below(parts)}
      </>
    );
  return (
    <fieldset className="action-group">
      <legend>{node.title}</legend>
      <ErrorLine node={node} drawing={drawing} />
      {below(parts)}
    </fieldset>
  );
}

/** The longest text that has a line through it, in characters. */
const MAX_STRUCK = 40;

/** One argument: its original, and its field. */
function Side({ node, pointer, action, draw, drawing, isFixed }: PartProps & { pointer: string; isFixed: boolean }) {
  const before = valueAt(action.args, pointer);
  const isChanged = !isFixed && (node.value === undefined ? before != null : !isSame(node.value, before));
  const fieldOrNote = isFixed ? (
    <>
      <span className="muted">{t("Cannot be changed")}</span>
      <ErrorLine node={node} drawing={drawing} />
    </>
  ) : (
    <FieldOf node={node} drawing={drawing} />
  );
  // In a long text, only the changed words are marked.
  const after = isChanged && typeof before === "string" && before.length > MAX_STRUCK ? node.value : undefined;
  const text = typeof before === "string" ? before : JSON.stringify(before ?? "");
  const value =
    before === undefined ? (
      <span className="muted">{t("Not set")}</span>
    ) : (
      (draw(pointer) ?? <span className="action-text">{text}</span>)
    );
  return (
    <div className={isFixed ? "action-side fixed" : isChanged ? "action-side changed" : "action-side"}>
      <div className="action-now" dir="auto">
        {fieldOrNote}
      </div>
      <div className="action-was" dir="auto">
        <span className="action-caption">
          {isChanged && (
            <span className="action-before">{typeof after === "string" ? t("Your changes:") : t("Before:")} </span>
          )}
          <span className="action-name">{node.title}</span>
        </span>
        {typeof after === "string" ? (
          <div className="payload">
            <TextDiff before={text} after={after} otherwise={<del className="long">{value}</del>} />
          </div>
        ) : isChanged ? (
          <del className={text.length > MAX_STRUCK ? "long" : ""}>{value}</del>
        ) : (
          value
        )}
      </div>
    </div>
  );
}

/** Returns whether all of the argument at a pointer may be changed, a part of it, or nothing. */
export function reachOf(editable: Action["editable"], pointer: string): "whole" | "part" | "none" {
  if (editable === null || editable.some((one) => one === pointer || pointer.startsWith(`${one}/`))) return "whole";
  return editable.some((one) => one.startsWith(`${pointer}/`)) ? "part" : "none";
}
