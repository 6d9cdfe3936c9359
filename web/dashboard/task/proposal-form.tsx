import { createContext, useContext, useLayoutEffect, useMemo, useState } from "react";
import type { KeyboardEvent, ReactElement } from "react";
import { createPortal } from "react-dom";
import { t } from "../../../languages/text.ts";
import { own } from "../../../form/plan/hints.ts";
import type { Entries } from "../../../form/plan/entries.ts";
import type { FormNode, TextNode } from "../../../form/plan/nodes.ts";
import { isOptional } from "../../../form/plan/nodes.ts";
import type { TaskFormProps } from "../../../form/plan/task-form.ts";
import type { AnswerFormProps } from "../../form/answer-form.tsx";
import { idOf } from "../../form/dom-ids.ts";
import type { Drawing } from "../../form/drawing.ts";
import { ErrorLine } from "../../form/field.tsx";
import { FieldOf } from "../../form/fields.tsx";
import { focusOn } from "../../form/focus.ts";
import { TextDiff } from "../../form/payload/text-diff.tsx";
import { TaskForm } from "../../form/task-form.tsx";
import { isPreviewed } from "../inbox/reading.ts";
import { useKeys } from "../ui/keyboard.ts";
import { withPlainLines } from "./line-ends.ts";
import { ProposedPlaces } from "./proposals.tsx";
import type { Proposal } from "./proposals.tsx";

type ProposalFormProps = TaskFormProps &
  Pick<AnswerFormProps, "onEdit" | "onAnswer"> & {
    /** By the names of their fields. */
    proposals: ReadonlyMap<string, Proposal>;
    isDisabled: boolean;
  };

interface Proposals {
  readonly proposals: ReadonlyMap<string, Proposal>;
  /** Whether nothing may be changed, such as while someone else works on the task. */
  readonly isDisabled: boolean;
}

const Asked = createContext<Proposals>({ proposals: new Map(), isDisabled: true });

/** The form of a task that proposes long texts. They are edited where the payload shows them. */
export function ProposalForm({ proposals, isDisabled, ...props }: ProposalFormProps): ReactElement {
  const [isChanged, setChanged] = useState(() => changes(proposals, props.posted?.entries ?? {}));
  const { task, onEdit } = props;
  // The button says which of two things it does, unless the agent has named it.
  const labelled = useMemo(
    () => ({ ...task, form_definition: withLabel(task.form_definition, isChanged ? WITH_CHANGES : AS_PROPOSED) }),
    // oxlint-disable-next-line react/exhaustive-deps -- a task is another object on each rendering
    [task.task_id, task.form_definition, isChanged],
  );
  const asked = useMemo(() => ({ proposals, isDisabled }), [proposals, isDisabled]);
  return (
    <Asked value={asked}>
      <TaskForm
        {...props}
        task={labelled}
        onEdit={(entries) => {
          setChanged(changes(proposals, entries));
          onEdit?.(entries);
        }}
        Fields={Fields}
      />
    </Asked>
  );
}

const AS_PROPOSED = t("Submit as proposed");
const WITH_CHANGES = t("Submit with changes");

function withLabel(definition: unknown, label: string): unknown {
  const submit = own(definition, "submit");
  const known = own(submit, "label");
  if (typeof known === "string" && known.trim() !== "") return definition;
  return { ...(definition as object), submit: { ...(submit as object | undefined), label } };
}

function changes(proposals: ReadonlyMap<string, Proposal>, entries: Entries): boolean {
  return [...proposals].some(([name, { text }]) => {
    const entry = entries[name]?.[0];
    return entry !== undefined && withPlainLines(entry) !== withPlainLines(text);
  });
}

/** The fields of the form. Those of the first level may be drawn in the payload. */
function Fields({ node, drawing }: { node: FormNode; drawing: Drawing }): ReactElement {
  if (node.kind !== "group") return <FieldOf node={node} drawing={drawing} />;
  return (
    <>
      <ErrorLine node={node} drawing={drawing} />
      {node.children.map((child) => (
        <FieldOrProposal key={child.name} node={child} drawing={drawing} />
      ))}
    </>
  );
}

function FieldOrProposal({ node, drawing }: { node: FormNode; drawing: Drawing }): ReactElement {
  const { proposals } = useContext(Asked);
  const { elements } = useContext(ProposedPlaces);
  const proposal = proposals.get(node.pointer);
  const place = proposal && elements.get(proposal.from);
  // The payload may be closed at that place, or not show the text.
  if (proposal === undefined || place === undefined || !isEdited(node))
    return <FieldOf node={node} drawing={drawing} />;
  return <ProposalField node={node} drawing={drawing} proposal={proposal} place={place} />;
}

function isEdited(node: FormNode): node is TextNode {
  return node.kind === "text" && !node.hidden && !node.readonly && node.look !== "password" && node.look !== "color";
}

interface ProposalFieldProps {
  node: TextNode;
  drawing: Drawing;
  proposal: Proposal;
  place: HTMLElement;
}

/** The field of a proposed text: a line in the form, and in the payload the text itself, its changes, or its editor. */
function ProposalField({ node, drawing, proposal, place }: ProposalFieldProps): ReactElement {
  const { isDisabled } = useContext(Asked);
  const { setReplaced } = useContext(ProposedPlaces);
  const [isOpen, setOpen] = useState(false);
  const isLocked = isDisabled || drawing.locked;
  const isWrong = drawing.errors.has(node.name);
  const isEditing = (isOpen || isWrong) && !isDisabled;
  const [before, now] = [withPlainLines(proposal.text), withPlainLines(node.entry[0] ?? "")];
  const isChanged = now !== before;
  const { from } = proposal;
  const isReplaced = isEditing || isChanged;
  // Before the page is painted, so that the text is never there twice.
  useLayoutEffect(() => setReplaced(from, isReplaced), [from, isReplaced, setReplaced]);
  useLayoutEffect(() => () => setReplaced(from, false), [from, setReplaced]);

  const toggle = idOf(node.name, "edit");
  const edit = () => {
    setOpen(true);
    requestAnimationFrame(() => focusOn([idOf(node.name)]));
  };
  const finish = () => {
    setOpen(false);
    requestAnimationFrame(() => focusOn([toggle]));
  };
  const reset = () => {
    drawing.set(node.name, proposal.text);
    requestAnimationFrame(() => focusOn([isEditing ? idOf(node.name) : toggle]));
  };
  const leaveByEscape = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !isEditing || isWrong) return;
    event.preventDefault();
    event.stopPropagation();
    finish();
  };
  useKeys({ e: isLocked || isEditing || isPreviewed() ? undefined : edit });

  const chip = (
    <span className={isChanged ? "chip info" : "chip mute"}>
      {isChanged ? t("With your changes") : t("As proposed")}
    </span>
  );
  return (
    <>
      <div className="field">
        <span className="title">
          {node.title} {isOptional(node) && <small className="optional">{t("optional")}</small>}
        </span>
        <div className="proposal-bar">
          {chip}
          {!isEditing && (
            <button type="button" className="link-button" disabled={isLocked} onClick={edit}>
              {t("Edit")}
              <span className="unseen"> {node.title}</span>
            </button>
          )}
        </div>
      </div>
      {createPortal(
        // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- Escape leaves the editor, from each control in it
        <div className="answer proposal" onKeyDown={leaveByEscape}>
          <div className="proposal-bar">
            {isEditing ? (
              <button type="button" className="quiet small" disabled={isWrong} onClick={finish}>
                {t("Done")}
              </button>
            ) : (
              <button type="button" id={toggle} className="quiet small" disabled={isLocked} onClick={edit}>
                {t("Edit")}
                <span className="unseen"> {node.title}</span>
              </button>
            )}
            {isChanged && (
              <button type="button" className="quiet small" disabled={isLocked} onClick={reset}>
                {t("Reset to the agent's text")}
              </button>
            )}
            {isChanged && !isEditing && chip}
          </div>
          {isEditing ? (
            <FieldOf node={{ ...node, look: "area" }} drawing={{ ...drawing, locked: isLocked }} />
          ) : (
            isChanged && (
              <div className="payload">
                <TextDiff
                  before={before}
                  after={now}
                  otherwise={<p className="payload-text payload-reading">{now}</p>}
                />
              </div>
            )
          )}
        </div>,
        place,
      )}
    </>
  );
}
