import { useCallback, useEffect, useState } from "react";
import { queryClient } from "../queries.ts";
import type { Rule, StoredRules } from "./queries.ts";

/** Rules that are not stored yet. */
export interface Draft {
  readonly rules: readonly Rule[];
  /** The version of the stored rules that they were made from. */
  readonly version: number;
}

const DRAFTS = "hook-rules-draft";

// They stay while a person looks at other pages, and go when another person signs in.
queryClient.setQueryDefaults([DRAFTS], { gcTime: Infinity });

addEventListener("beforeunload", (event) => {
  if (queryClient.getQueriesData({ queryKey: [DRAFTS] }).some(([, draft]) => draft != null)) event.preventDefault();
});

/** Returns the changes of the rules of a project that are not stored; null: none. */
export function useDraft(
  project: string,
  stored: StoredRules,
): { draft: Draft | null; setDraft: (draft: Draft | null) => void } {
  const [draft, setState] = useState(() => queryClient.getQueryData<Draft | null>([DRAFTS, project]) ?? null);
  const setDraft = useCallback(
    (next: Draft | null): void => {
      setState(next);
      queryClient.setQueryData([DRAFTS, project], next);
    },
    [project],
  );
  const isChanged = draft !== null && JSON.stringify(draft.rules) !== JSON.stringify(stored.rules);
  // What was taken back, or is stored by now, must not come back as a change of later rules.
  const isOver = draft !== null && !isChanged;
  useEffect(() => {
    if (isOver) setDraft(null);
  }, [isOver, setDraft]);
  return { draft: isChanged ? draft : null, setDraft };
}
