import type { ReactElement } from "react";
import { t } from "../../../languages/text.ts";
import { TextDiff } from "../../form/payload/text-diff.tsx";
import { withPlainLines } from "./line-ends.ts";

interface ChangedTextProps {
  before: string;
  /** null if not all of it is here. */
  after: string | null;
  /** The new text. */
  whole: ReactElement;
}

/** A text of an answer that began with a text of the agent: whether a person changed it, and what. */
export function ChangedText({ before, after, whole }: ChangedTextProps): ReactElement {
  const [was, is] = [withPlainLines(before), withPlainLines(after ?? "")];
  const isSame = after !== null && was === is;
  return (
    <>
      <span className={isSame ? "payload-chip payload-neutral" : "payload-chip payload-positive"}>
        {isSame ? t("As proposed") : t("With changes")}
      </span>
      {isSame || after === null ? whole : <TextDiff before={was} after={is} otherwise={whole} />}
    </>
  );
}
