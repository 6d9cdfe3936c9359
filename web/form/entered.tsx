import type { Entered } from "../../form/plan/entered.ts";

/** What a person entered into a form: labels and values, to be read and not to be changed. */
export function EnteredView({ entered }: { entered: readonly Entered[] }) {
  return (
    <dl className="entered">
      {entered.map(({ name, title, text }) => (
        <div key={name}>
          <dt dir="auto">{title}</dt>
          <dd dir="auto">{text}</dd>
        </div>
      ))}
    </dl>
  );
}
