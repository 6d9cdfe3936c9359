import type { ReactNode } from "react";
import { locale, plural, t } from "../../languages/text.ts";
import { isOptional, questionOf } from "../../form/plan/nodes.ts";
import type {
  BoolNode,
  ChoiceNode,
  ConfirmNode,
  FormNode,
  JsonNode,
  NumberNode,
  Option,
  TextNode,
  TimeNode,
  VariantNode,
} from "../../form/plan/nodes.ts";
import { zoneName } from "../../form/plan/times.ts";
import { idOf } from "./dom-ids.ts";
import type { Drawing } from "./drawing.ts";
import { describedBy, Field, FieldSet } from "./field.tsx";

interface ControlProps<Node extends FormNode> {
  node: Node;
  drawing: Drawing;
}

/** Properties of every control: its name, its label, and its descriptions. */
function common(node: FormNode, drawing: Drawing, ...parts: string[]) {
  const { error, ...described } = describedBy(node, drawing, ...parts);
  return {
    id: idOf(node.name),
    name: node.kind === "json" ? `${node.name}~json` : node.name,
    disabled: drawing.locked,
    autoFocus: drawing.takesFocus(node),
    "aria-invalid": error || undefined,
    "aria-required": !isOptional(node),
    ...described,
  };
}

/** React requires it with a value. Other handlers react to typing. */
const ignore = (): void => {};

/** Properties of every control that people type into. */
function typed(node: FormNode, drawing: Drawing, ...parts: string[]) {
  const all = common(node, drawing, ...parts);
  return {
    ...all,
    value: node.entry[0] ?? "",
    readOnly: node.readonly,
    autoComplete: "off",
    onInput: (event: { currentTarget: { value: string } }) => drawing.set(all.name, event.currentTarget.value),
    onChange: ignore,
  };
}

export function TextControl({ node, drawing }: ControlProps<TextNode>) {
  const isLong = node.look === "area";
  const showsCount = node.max !== null && (isLong || node.max <= 1_000);
  const shared = {
    ...typed(node, drawing, ...(showsCount ? ["count"] : [])),
    placeholder: node.placeholder ?? undefined,
    dir: "auto" as const,
  };
  return (
    <Field node={node} drawing={drawing}>
      {isLong ? (
        <textarea {...shared} rows={4} />
      ) : (
        <input
          {...shared}
          type={node.look === "password" ? "password" : node.type}
          spellCheck={node.type === "text" && node.format === null ? undefined : false}
        />
      )}
      {showsCount && node.max !== null && (
        <p className="count" id={idOf(node.name, "count")} dir="ltr">
          {`${Array.from(shared.value).length} / ${node.max}`}
        </p>
      )}
    </Field>
  );
}

export function NumberControl({ node, drawing }: ControlProps<NumberNode>) {
  return (
    <Field node={node} drawing={drawing}>
      <input
        {...typed(node, drawing)}
        className="short"
        type="text"
        inputMode={node.whole && node.min !== null && node.min >= 0 ? "numeric" : "decimal"}
        placeholder={node.placeholder ?? undefined}
      />
    </Field>
  );
}

export function TimeControl({ node, drawing }: ControlProps<TimeNode>) {
  const zone = node.zone === null ? null : zoneName(node.zone, drawing.now, locale());
  const shared = typed(node, drawing, ...(zone === null ? [] : ["help"]));
  return (
    <Field node={node} drawing={drawing} help={zone === null ? null : t("Your time zone: {zone}", { zone })}>
      <input
        {...shared}
        className="short"
        type={node.kind === "datetime" ? "datetime-local" : node.kind}
        // A value with seconds keeps them.
        step={/:\d\d:\d\d$/.test(shared.value) ? 1 : undefined}
      />
    </Field>
  );
}

export function JsonControl({ node, drawing }: ControlProps<JsonNode>) {
  return (
    <Field node={node} drawing={drawing}>
      <textarea {...typed(node, drawing)} className="code" rows={6} spellCheck={false} autoCapitalize="off" />
    </Field>
  );
}

export function ConfirmControl({ node, drawing }: ControlProps<ConfirmNode>) {
  return <Box node={node} drawing={drawing} />;
}

/** One checkbox, whose label is the field's title. */
function Box({ node, drawing }: ControlProps<ConfirmNode | BoolNode>) {
  return (
    <Field node={node} drawing={drawing} isBox>
      <Untouched node={node} />
      <label className="card" htmlFor={idOf(node.name)}>
        <input
          {...common(node, drawing)}
          type="checkbox"
          value="true"
          checked={node.entry.includes("true")}
          disabled={drawing.locked || node.readonly}
          aria-required={!isOptional(node) || undefined}
          onChange={(event) => drawing.set(node.name, ...(event.currentTarget.checked ? ["true"] : [""]))}
        />
        <span dir="auto">{node.title}</span>
        {isOptional(node) && <small className="optional">{t("optional")}</small>}
      </label>
    </Field>
  );
}

export function BoolControl({ node, drawing }: ControlProps<BoolNode>) {
  if (node.look === "checkbox") return <Box node={node} drawing={drawing} />;
  return <Radios node={node} drawing={drawing} look="button" />;
}

export function ChoiceControl({ node, drawing }: ControlProps<ChoiceNode>) {
  if (node.look === "select") return <Select node={node} drawing={drawing} />;
  if (node.look === "filter") return <Filter node={node} drawing={drawing} />;
  if (node.multiple) return <Boxes node={node} drawing={drawing} />;
  return <Radios node={node} drawing={drawing} look={node.look === "buttons" ? "button" : "card"} />;
}

interface RadiosProps extends ControlProps<BoolNode | ChoiceNode | VariantNode> {
  look: "button" | "card";
  children?: ReactNode;
}

/** One radio button for each option. The two buttons of a yes or no have equal size. */
export function Radios({ node, drawing, look, children }: RadiosProps) {
  const isBool = node.kind === "bool";
  return (
    <FieldSet node={node} drawing={drawing} isRadio isChosen={node.entry.some((text) => text !== "")}>
      <Untouched node={node} />
      <div className={isBool ? "buttons sides" : `${look}s`}>
        {node.options.map((option, index) => {
          const text = String(isBool ? option.value : index);
          const set = (): void => drawing.set(node.name, text);
          return <OptionOf key={text} type="radio" {...{ node, drawing, option, text, index, look, set }} />;
        })}
      </div>
      {children}
    </FieldSet>
  );
}

/** A browser posts nothing for boxes that are not ticked. This field shows that the question was asked. */
function Untouched({ node }: { node: FormNode }) {
  return (
    <>
      <input type="hidden" name={node.name} value="" />
      {"options" in node && <Asked node={node} />}
    </>
  );
}

/** Identifies the options, because the second of other options is another answer. */
function Asked({ node }: { node: FormNode }) {
  return <input type="hidden" name={`${node.name}~of`} value={questionOf(node)} />;
}

interface OptionProps extends ControlProps<BoolNode | ChoiceNode | VariantNode> {
  type: "radio" | "checkbox";
  option: Option;
  /** The posted value. */
  text: string;
  index: number;
  look: "button" | "card";
  set: (isOn: boolean) => void;
}

function OptionOf({ node, drawing, type, option, text, index, look, set }: OptionProps) {
  // The first one has the field's own id, so that a link to the field leads to a control.
  const id = idOf(node.name, index === 0 ? "" : String(index));
  const describes = option.description === null ? undefined : idOf(node.name, `${index}d`);
  return (
    <label className={`${look} ${option.tone === null ? "" : `tone-${option.tone}`}`} htmlFor={id}>
      <input
        id={id}
        type={type}
        name={node.name}
        value={text}
        checked={node.entry.includes(text)}
        disabled={drawing.locked || node.readonly}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- a hint or a link requests it, on pages about a form only
        autoFocus={drawing.takesFocus(node) && (node.entry.length > 0 ? node.entry.includes(text) : index === 0)}
        aria-describedby={describes}
        // The frame of radio buttons is marked as a whole.
        aria-invalid={(type === "checkbox" && drawing.errors.has(node.name)) || undefined}
        onChange={(event) => set(event.currentTarget.checked)}
      />
      <span dir="auto">{option.label}</span>
      {option.description !== null && (
        <small id={describes} dir="auto">
          {option.description}
        </small>
      )}
    </label>
  );
}

function Boxes({ node, drawing }: ControlProps<ChoiceNode>) {
  return (
    <FieldSet node={node} drawing={drawing}>
      <Untouched node={node} />
      <div className={node.options.length > 12 ? "cards tall" : "cards"}>
        {node.options.map((option, index) => {
          const text = String(index);
          const set = (isOn: boolean): void => {
            const others = node.entry.filter((known) => known !== text && known !== "");
            drawing.set(node.name, "", ...(isOn ? [...others, text] : others));
          };
          return <OptionOf key={text} type="checkbox" look="card" {...{ node, drawing, option, text, index, set }} />;
        })}
      </div>
    </FieldSet>
  );
}

function Select({ node, drawing }: ControlProps<ChoiceNode>) {
  return (
    <Field node={node} drawing={drawing}>
      <select
        {...common(node, drawing)}
        disabled={drawing.locked || node.readonly}
        value={node.entry[0] ?? ""}
        onChange={(event) => drawing.set(node.name, event.currentTarget.value)}
      >
        <option value="">{isOptional(node) ? t("No answer") : t("Choose one")}</option>
        {node.options.map((option, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- options never change their order
          <option key={index} value={String(index)}>
            {option.label}
          </option>
        ))}
      </select>
      <Asked node={node} />
    </Field>
  );
}

/** People search a long list by typing. The browser's own list supports that with and without scripts. */
function Filter({ node, drawing }: ControlProps<ChoiceNode>) {
  const list = idOf(node.name, "list");
  return (
    <Field node={node} drawing={drawing}>
      <input
        {...typed(node, drawing)}
        type="text"
        list={list}
        placeholder={plural(node.options.length, "Type to search {n} option", "Type to search {n} options")}
        dir="auto"
      />
      <datalist id={list}>
        {node.options.map((option, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- options never change their order
          <option key={index} value={option.label}>
            {option.label}
          </option>
        ))}
      </datalist>
      <Asked node={node} />
    </Field>
  );
}
