import { as, plural, t } from "../../../languages/text.ts";
import type { Decision } from "./asked.ts";

interface Words {
  label: string;
  key: string;
  done: string;
  finish: string;
  /** What a key does that finishes it, behind the key. */
  hint: string;
  /** How many were decided so. */
  count: (n: number) => string;
  tone: "ok" | "bad" | "info";
}

/** The words and the key of each decision. */
export const DECISIONS: Readonly<Record<Decision, Words>> = {
  approve: {
    label: t("Approve"),
    key: "A",
    done: t("Approved"),
    finish: t("Approve"),
    hint: as("behind a key", "approve"),
    count: (n) => plural(n, "{n} approved", "{n} approved"),
    tone: "ok",
  },
  edit: {
    label: t("Edit"),
    key: "E",
    done: t("Approved with changes"),
    finish: t("Approve with changes"),
    hint: as("behind a key", "approve with changes"),
    count: (n) => plural(n, "{n} approved with changes", "{n} approved with changes"),
    tone: "ok",
  },
  reject: {
    label: t("Reject"),
    key: "R",
    done: t("Rejected"),
    finish: t("Reject"),
    hint: as("behind a key", "reject"),
    count: (n) => plural(n, "{n} rejected", "{n} rejected"),
    tone: "bad",
  },
  respond: {
    label: t("Respond"),
    key: "M",
    done: t("Responded"),
    finish: t("Send response"),
    hint: as("behind a key", "send response"),
    count: (n) => plural(n, "{n} responded", "{n} responded"),
    tone: "info",
  },
};
