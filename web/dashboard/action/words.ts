import { t } from "../../../languages/text.ts";
import type { Decision } from "./asked.ts";

/** The words and the key of each decision. */
export const DECISIONS: Readonly<
  Record<Decision, { label: string; key: string; done: string; finish: string; tone: "ok" | "bad" | "info" }>
> = {
  approve: { label: t("Approve"), key: "A", done: t("Approved"), finish: t("Approve"), tone: "ok" },
  edit: { label: t("Edit"), key: "E", done: t("Approved with changes"), finish: t("Approve with changes"), tone: "ok" },
  reject: { label: t("Reject"), key: "R", done: t("Rejected"), finish: t("Reject"), tone: "bad" },
  respond: { label: t("Respond"), key: "M", done: t("Responded"), finish: t("Send response"), tone: "info" },
};
