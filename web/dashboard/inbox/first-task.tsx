import { t } from "../../../languages/text.ts";
import { Snippet } from "../ui/snippet.tsx";
import { CreateSample } from "./sample.tsx";

/** The inbox of a service that has had no task yet: how to create the first one. */
export function FirstTask() {
  return (
    <div className="empty">
      <h2>{t("No tasks yet")}</h2>
      <CreateSample label={t("Create a sample task")} page="inbox" />
      <p>{t("Or let an agent create one with a single call:")}</p>
      <Snippet />
    </div>
  );
}
