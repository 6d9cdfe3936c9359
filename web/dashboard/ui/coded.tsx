import { Fragment } from "react";

/** Shows a text of the service, in which code is between backticks. */
export function Coded({ text }: { text: string }) {
  return text.split("`").map((part, i) =>
    // oxlint-disable-next-line react/no-array-index-key -- the parts of a text have an order and nothing else
    i % 2 === 1 ? <code key={i}>{part}</code> : <Fragment key={i}>{part}</Fragment>,
  );
}
