import type { ReactNode } from "react";
import { t } from "../../languages/text.ts";
import type { FormNode, GroupNode, ListNode, RecordNode, VariantNode } from "../../form/plan/nodes.ts";
import { inSentence } from "../../form/titles.ts";
import {
  BoolControl,
  ChoiceControl,
  ConfirmControl,
  JsonControl,
  NumberControl,
  Radios,
  TextControl,
  TimeControl,
} from "./controls.tsx";
import { idOf } from "./dom-ids.ts";
import type { Drawing } from "./drawing.ts";
import { ErrorLine, FieldSet, PressButton } from "./field.tsx";
import { Icon } from "./icons.tsx";

/** The node type of one kind, or of several that share one. */
type NodeOf<Kind, Node = FormNode> = Node extends { readonly kind: infer Kinds }
  ? Kind extends Kinds
    ? Node
    : never
  : never;

/** The component for each kind of node. */
const COMPONENTS: { [Kind in FormNode["kind"]]: (props: { node: NodeOf<Kind>; drawing: Drawing }) => ReactNode } = {
  bool: BoolControl,
  confirm: ConfirmControl,
  choice: ChoiceControl,
  text: TextControl,
  number: NumberControl,
  date: TimeControl,
  time: TimeControl,
  datetime: TimeControl,
  json: JsonControl,
  group: Group,
  list: List,
  record: Record,
  variant: Variant,
  const: () => null,
};

/** Renders a node of a plan, and everything below it. */
export function FieldOf({ node, drawing }: { node: FormNode; drawing: Drawing }) {
  const Component = COMPONENTS[node.kind] as (props: { node: FormNode; drawing: Drawing }) => ReactNode;
  return node.hidden ? null : <Component node={node} drawing={drawing} />;
}

function Group({ node, drawing }: { node: GroupNode; drawing: Drawing }) {
  const children = node.children.map((child) => <FieldOf key={child.name} node={child} drawing={drawing} />);
  // The form itself is a group without a frame.
  if (node.pointer === "")
    return (
      <>
        <ErrorLine node={node} drawing={drawing} />
        {children}
      </>
    );
  const isClosed = node.state === "closed";
  return (
    <FieldSet node={node} drawing={drawing}>
      {node.state === "open" && <input type="hidden" name={`${node.name}~open`} value="1" />}
      {!isClosed && <div className="inner">{children}</div>}
      {node.state !== "fixed" && !node.readonly && (
        <PressButton
          drawing={drawing}
          press={{ act: isClosed ? "open" : "close", name: node.name }}
          label={isClosed ? t("Add {item}", { item: inSentence(node.title) }) : t("Remove")}
          about={isClosed ? "" : node.title}
        >
          <Icon name={isClosed ? "plus" : "remove"} />
        </PressButton>
      )}
    </FieldSet>
  );
}

function List({ node, drawing }: { node: ListNode; drawing: Drawing }) {
  return (
    <Rows
      node={node}
      drawing={drawing}
      canRemove={node.canRemove}
      rows={node.rows.map((row) => ({
        key: row.name,
        about: row.title,
        isPlain: isPlain(row),
        content: <FieldOf node={row} drawing={drawing} />,
      }))}
    />
  );
}

function Record({ node, drawing }: { node: RecordNode; drawing: Drawing }) {
  return (
    <Rows
      node={node}
      drawing={drawing}
      canRemove={!node.readonly}
      rows={node.rows.map(({ key, value }, index) => ({
        key: key.name,
        about: key.entry[0] ?? `${index + 1}`,
        isPlain: false,
        content: (
          <div className="pair">
            <FieldOf node={key} drawing={drawing} />
            <FieldOf node={value} drawing={drawing} />
          </div>
        ),
      }))}
    />
  );
}

interface RowsProps {
  node: ListNode | RecordNode;
  drawing: Drawing;
  canRemove: boolean;
  rows: readonly { key: string; about: string; isPlain: boolean; content: ReactNode }[];
}

/** The rows of a list or a record, with buttons to remove and add one. */
function Rows({ node, drawing, canRemove, rows }: RowsProps) {
  const { name } = node;
  const count = rows.length;
  return (
    <FieldSet node={node} drawing={drawing}>
      <input type="hidden" name={`${name}~rows`} value={String(count)} />
      {count > 0 && (
        <ol className="rows">
          {rows.map(({ key, about, isPlain, content }, index) => (
            <li key={key} className={isPlain ? "row plain" : "row"}>
              {content}
              {canRemove && (
                <PressButton
                  drawing={drawing}
                  press={{ act: "remove", name, row: index }}
                  rows={count}
                  label={t("Remove")}
                  about={about}
                  className="quiet small"
                  id={idOf(name, `remove${index}`)}
                >
                  <Icon name="remove" />
                </PressButton>
              )}
            </li>
          ))}
        </ol>
      )}
      {node.canAdd && (
        <PressButton
          drawing={drawing}
          press={{ act: "add", name }}
          rows={count}
          label={t("Add {item}", { item: node.item })}
          about={`(${node.title})`}
          id={idOf(name, "add")}
        >
          <Icon name="plus" />
        </PressButton>
      )}
    </FieldSet>
  );
}

function Variant({ node, drawing }: { node: VariantNode; drawing: Drawing }) {
  return (
    <Radios node={node} drawing={drawing} look="card">
      {node.body !== null && <Body node={node.body} drawing={drawing} />}
    </Radios>
  );
}

/** The chosen form, without its own frame and title, because the choice has both. */
function Body({ node, drawing }: { node: FormNode; drawing: Drawing }) {
  if (node.kind !== "group" || node.state !== "fixed")
    return (
      <div className="inner">
        <FieldOf node={node} drawing={drawing} />
      </div>
    );
  const drawn = node.children.filter((child) => !child.hidden);
  if (drawn.length === 0) return null;
  return (
    <div className="inner">
      {drawn.map((child) => (
        <FieldOf key={child.name} node={child} drawing={drawing} />
      ))}
      <ErrorLine node={node} drawing={drawing} />
    </div>
  );
}

/** Returns whether it is one line, which needs no card around it. */
function isPlain(node: FormNode): boolean {
  return node.kind === "text" || node.kind === "number" || node.kind === "date" || node.kind === "time";
}
