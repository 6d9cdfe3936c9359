import type { Entered } from "../../form/plan/entered.ts";

/** A person's entries in a form: labels and values, read-only. */
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
