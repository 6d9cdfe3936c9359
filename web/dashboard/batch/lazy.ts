import { adoptStyles } from "../ui/later-styles.ts";
import { lazily } from "../ui/lazily.tsx";

/** The parts of batches that the inbox shows. Their code and their styles load when they are needed. */

async function load() {
  const [{ BatchBar }, { BatchPane }, styles] = await Promise.all([
    import("./bar.tsx"),
    import("./batch.tsx"),
    import("./batch.css?inline"),
  ]);
  adoptStyles(styles.default);
  return { BatchBar, BatchPane };
}

export const BatchBar = lazily("batch bar", async () => (await load()).BatchBar);
export const BatchPane = lazily("batch", async () => (await load()).BatchPane);
