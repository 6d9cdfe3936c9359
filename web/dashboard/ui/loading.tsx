import { Button } from "@mantine/core";
import { t } from "../../../languages/text.ts";

/** A placeholder for rows or panels. */
export function Loading() {
  return (
    <output className="stack" aria-busy="true" aria-label={t("Loading")}>
      {["a", "b", "c", "d"].map((key) => (
        <span key={key} className="skeleton" />
      ))}
    </output>
  );
}

interface LoadMoreProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
}

/** Shown below a list with further rows to load. */
export function LoadMore({ query }: LoadMoreProps) {
  if (!query.hasNextPage) return null;
  return (
    <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
      {t("Load more")}
    </Button>
  );
}
