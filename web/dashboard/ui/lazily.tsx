import { useQuery } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { t } from "../../../languages/text.ts";
import { queryClient } from "../queries.ts";
import { ErrorPanel } from "./page.tsx";

interface Lazily<P extends object> {
  (props: P): React.ReactNode;
  /** Loads the code before it is shown. A failure appears when it is shown. */
  preload: () => Promise<void>;
}

/**
 * Returns a component whose code is loaded when it is first shown. If loading fails, it shows an error with a retry
 * button in its place, and the rest of the page stays.
 * @param name - distinguishes it from others
 */
export function lazily<P extends object>(name: string, load: () => Promise<ComponentType<P>>): Lazily<P> {
  const query = {
    queryKey: ["code", name],
    queryFn: async () => ({ Component: await load() }),
    staleTime: Infinity,
    gcTime: Infinity,
    retry: false,
    networkMode: "always",
  } as const;
  const Lazy = (props: P) => {
    const { data, error, refetch } = useQuery(query);
    if (data !== undefined) return <data.Component {...props} />;
    if (error === null)
      return (
        <p className="hint" aria-busy="true">
          {t("Loading")}
        </p>
      );
    return <ErrorPanel title={t("Could not load this page")} error={UNREACHABLE} retry={() => void retry(refetch)} />;
  };
  return Object.assign(Lazy, { preload: () => queryClient.prefetchQuery(query) });
}

const UNREACHABLE = new Error(t("The service can't be reached at the moment."));

/** Retries. If the service responds but no longer has this code, it was updated, and the whole page is reloaded. */
async function retry(refetch: () => Promise<{ isError: boolean }>): Promise<void> {
  const { isError } = await refetch();
  if (!isError) return;
  const isReachable = await fetch("/api/auth/me").then(
    () => true,
    () => false,
  );
  if (isReachable) location.reload();
}
