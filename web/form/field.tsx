import type { ReactNode } from "react";
import { demandOf } from "../../form/plan/messages.ts";
import { t } from "../../languages/text.ts";
import { PRESS, textOfPress } from "../../form/plan/entries.ts";
import type { Press } from "../../form/plan/entries.ts";
import { isOptional } from "../../form/plan/nodes.ts";
import type { FormNode } from "../../form/plan/nodes.ts";
import { idOf } from "./dom-ids.ts";
import type { Drawing } from "./drawing.ts";
import { Icon } from "./icons.tsx";

interface FieldProps {
  node: FormNode;
  drawing: Drawing;
  children: ReactNode;
}

/** Returns the help of a field: the text of a hint, and which values are accepted. */
function helpOf(node: FormNode, more: string | null): string | null {
  const parts = [node.help, demandOf(node), more].filter((part) => part !== null);
  return parts.join(" · ") || null;
}

/** Returns the ids of all descriptions of a field, for assistive technology. */
export function describedBy(node: FormNode, drawing: Drawing, ...parts: string[]) {
  const error = drawing.errors.has(node.name);
  const shown = {
    description: node.description !== null,
    help: parts.includes("help") || helpOf(node, null) !== null,
    count: parts.includes("count"),
    error,
  };
  const ids = Object.entries(shown).flatMap(([part, isShown]) => (isShown ? [idOf(node.name, part)] : []));
  return { error, "aria-describedby": ids.join(" ") || undefined };
}

function Title({ node }: Pick<FieldProps, "node">) {
  return (
    <>
      <span dir="auto">{node.title}</span>
      {isOptional(node) && <small className="optional"> {t("optional")}</small>}
    </>
  );
}

/** The description or the help of a field. */
function Note({ node, part, text }: { node: FormNode; part: "description" | "help"; text: string | null }) {
  if (text === null) return null;
  return (
    <p className={part} id={idOf(node.name, part)} dir="auto">
      {text}
    </p>
  );
}

export function ErrorLine({ node, drawing }: Omit<FieldProps, "children">) {
  const message = drawing.errors.get(node.name);
  if (message === undefined) return null;
  return (
    <p className="error" id={idOf(node.name, "error")}>
      <Icon name="alert" />
      <span dir="auto">{message}</span>
    </p>
  );
}

/** A control with its label above it. A box contains its title itself. */
export function Field({
  node,
  drawing,
  children,
  help = null,
  isBox = false,
}: FieldProps & { help?: string | null; isBox?: boolean }) {
  const description = <Note node={node} part="description" text={node.description} />;
  return (
    <div className={drawing.errors.has(node.name) ? "field invalid" : "field"}>
      {!isBox && (
        <label className="title" htmlFor={idOf(node.name)}>
          <Title node={node} />
        </label>
      )}
      {!isBox && description}
      {children}
      {isBox && description}
      <Note node={node} part="help" text={helpOf(node, help)} />
      <ErrorLine node={node} drawing={drawing} />
    </div>
  );
}

/** Several controls that form one question. */
export function FieldSet({
  node,
  drawing,
  children,
  isRadio = false,
  isChosen = false,
}: FieldProps & { isRadio?: boolean; isChosen?: boolean }) {
  const { error, ...described } = describedBy(node, drawing);
  const radio = isRadio
    ? { role: "radiogroup", "aria-required": !isOptional(node), "aria-invalid": error || undefined }
    : {};
  return (
    <fieldset id={idOf(node.name, "set")} className={error ? "field invalid" : "field"} {...radio} {...described}>
      <legend className="title">
        <Title node={node} />
      </legend>
      <Note node={node} part="description" text={node.description} />
      {children}
      {isRadio && isChosen && isOptional(node) && !node.readonly && (
        <PressButton
          drawing={drawing}
          press={{ act: "clear", name: node.name }}
          label={t("Clear selection")}
          about={node.title}
          className="quiet small"
        />
      )}
      <Note node={node} part="help" text={helpOf(node, null)} />
      <ErrorLine node={node} drawing={drawing} />
    </fieldset>
  );
}

interface PressButtonProps {
  drawing: Drawing;
  press: Press;
  label: string;
  /** The subject of the button, for people who hear it without seeing its place. */
  about?: string;
  rows?: number;
  className?: string;
  id?: string;
  children?: ReactNode;
}

/** Changes the form instead of sending it. Without a script, the server does it. */
export function PressButton({
  drawing,
  press,
  label,
  about = "",
  rows,
  className = "quiet",
  id,
  children,
}: PressButtonProps) {
  return (
    <button
      type="submit"
      name={PRESS}
      value={textOfPress(press)}
      id={id}
      className={className}
      disabled={drawing.locked}
      formNoValidate
      onClick={(event) => {
        event.preventDefault();
        drawing.press(press, rows);
      }}
    >
      {children}
      <span>{label}</span>
      <span className="unseen"> {about}</span>
    </button>
  );
}
