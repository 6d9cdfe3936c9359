import type { FormNode, GroupNode, ListNode, RecordNode, VariantNode } from "../../form/plan/nodes.ts";
import {
  BoolControl,
  ChoiceControl,
  ConfirmControl,
  JsonControl,
  NumberControl,
  Radio,
  TextControl,
  textOfIndex,
  TimeControl,
  Untouched,
} from "./controls.tsx";
import { idOf } from "./dom-ids.ts";
import type { Drawing } from "./drawing.ts";
import { ErrorLine, FieldSet, PressButton } from "./field.tsx";
import { Icon } from "./icons.tsx";

/** Draws a node of a plan, and all below it. */
export function FieldOf({ node, drawing }: { node: FormNode; drawing: Drawing }) {
  if (node.hidden) return null;
  switch (node.kind) {
    case "bool":
      return <BoolControl node={node} drawing={drawing} />;
    case "confirm":
      return <ConfirmControl node={node} drawing={drawing} />;
    case "choice":
      return <ChoiceControl node={node} drawing={drawing} />;
    case "text":
      return <TextControl node={node} drawing={drawing} />;
    case "number":
      return <NumberControl node={node} drawing={drawing} />;
    case "date":
    case "time":
    case "datetime":
      return <TimeControl node={node} drawing={drawing} />;
    case "json":
      return <JsonControl node={node} drawing={drawing} />;
    case "group":
      return <Group node={node} drawing={drawing} />;
    case "list":
      return <List node={node} drawing={drawing} />;
    case "record":
      return <Record node={node} drawing={drawing} />;
    case "variant":
      return <Variant node={node} drawing={drawing} />;
    case "const":
      return null;
  }
}

function Group({ node, drawing }: { node: GroupNode; drawing: Drawing }) {
  const { words } = drawing.messages;
  const children = node.children.map((child) => <FieldOf key={child.name} node={child} drawing={drawing} />);
  // The form itself is a group without a frame.
  if (node.name === "")
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
          label={isClosed ? words.openWhat(inSentence(node.title)) : words.remove}
          about={isClosed ? "" : node.title}
        >
          <Icon name={isClosed ? "plus" : "remove"} />
        </PressButton>
      )}
    </FieldSet>
  );
}

function List({ node, drawing }: { node: ListNode; drawing: Drawing }) {
  const { words } = drawing.messages;
  const count = node.rows.length;
  return (
    <FieldSet node={node} drawing={drawing}>
      <input type="hidden" name={`${node.name}~rows`} value={String(count)} />
      {count > 0 && (
        <ol className="rows">
          {node.rows.map((row, index) => (
            <li key={row.name} className={isPlain(row) ? "row plain" : "row"}>
              <FieldOf node={row} drawing={drawing} />
              {node.canRemove && (
                <PressButton
                  drawing={drawing}
                  press={{ act: "remove", name: node.name, row: index }}
                  rows={count}
                  label={words.remove}
                  about={row.title}
                  className="quiet small"
                  id={idOf(node.name, `remove${index}`)}
                >
                  <Icon name="remove" />
                </PressButton>
              )}
            </li>
          ))}
        </ol>
      )}
      {node.canAdd && <AddButton node={node} item={node.item} drawing={drawing} />}
    </FieldSet>
  );
}

function AddButton({ node, item, drawing }: { node: ListNode | RecordNode; item: string; drawing: Drawing }) {
  return (
    <PressButton
      drawing={drawing}
      press={{ act: "add", name: node.name }}
      rows={node.rows.length}
      label={drawing.messages.words.add(item)}
      about={`(${node.title})`}
      id={idOf(node.name, "add")}
    >
      <Icon name="plus" />
    </PressButton>
  );
}

function Record({ node, drawing }: { node: RecordNode; drawing: Drawing }) {
  const { words } = drawing.messages;
  const count = node.rows.length;
  return (
    <FieldSet node={node} drawing={drawing}>
      <input type="hidden" name={`${node.name}~rows`} value={String(count)} />
      {count > 0 && (
        <ol className="rows">
          {node.rows.map((row, index) => (
            <li key={row.key.name} className="row">
              <div className="pair">
                <FieldOf node={row.key} drawing={drawing} />
                <FieldOf node={row.value} drawing={drawing} />
              </div>
              {!node.readonly && (
                <PressButton
                  drawing={drawing}
                  press={{ act: "remove", name: node.name, row: index }}
                  rows={count}
                  label={words.remove}
                  about={row.key.entry[0] ?? `${index + 1}`}
                  className="quiet small"
                  id={idOf(node.name, `remove${index}`)}
                >
                  <Icon name="remove" />
                </PressButton>
              )}
            </li>
          ))}
        </ol>
      )}
      {node.canAdd && <AddButton node={node} item={node.item} drawing={drawing} />}
    </FieldSet>
  );
}

function Variant({ node, drawing }: { node: VariantNode; drawing: Drawing }) {
  return (
    <FieldSet node={node} drawing={drawing} isRadio isChosen={node.entry.some((text) => text !== "")}>
      <Untouched node={node} />
      <div className="cards">
        {node.options.map((option, index) => (
          <Radio
            key={textOfIndex(index)}
            node={node}
            drawing={drawing}
            option={option}
            text={textOfIndex(index)}
            index={index}
            look="card"
          />
        ))}
      </div>
      {node.body !== null && <Body node={node.body} drawing={drawing} />}
    </FieldSet>
  );
}

/** The form that was chosen, without a frame and a title of its own: the choice has both. */
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

/** One line, which needs no card around it. */
function isPlain(node: FormNode): boolean {
  return node.kind === "text" || node.kind === "number" || node.kind === "date" || node.kind === "time";
}

function inSentence(title: string): string {
  return /^\p{Lu}\p{Ll}/u.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;
}
