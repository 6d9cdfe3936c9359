import { Button } from "@mantine/core";

/** Where rows or panels will be. */
export function Loading() {
  return (
    <output className="stack" aria-busy="true" aria-label="Loading">
      {["a", "b", "c", "d"].map((key) => (
        <span key={key} className="skeleton" />
      ))}
    </output>
  );
}

interface LoadMoreProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
}

/** Below a list that has more than what was loaded. */
export function LoadMore({ query }: LoadMoreProps) {
  if (!query.hasNextPage) return null;
  return (
    <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
      Load more
    </Button>
  );
}
