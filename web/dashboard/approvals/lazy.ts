import { adoptStyles } from "../ui/later-styles.ts";
import { lazily } from "../ui/lazily.tsx";

/** Few tasks need several people. */
export const Standing = lazily("approvals", async () => {
  const [{ Standing }, styles] = await Promise.all([import("./standing.tsx"), import("./approvals.css?inline")]);
  adoptStyles(styles.default);
  return Standing;
});
