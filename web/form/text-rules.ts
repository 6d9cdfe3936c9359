import { useEffect, useState } from "react";
import type { TextRules } from "../../form/plan/schema-view.ts";
import { LIVE } from "./live.ts";

let loading: Promise<TextRules> | undefined;

/**
 * What settles patterns and formats in the browser, as safe as on the server. Only a schema with either brings it;
 * until it is there, and where no script runs, they are left to the server.
 */
export function useTextRules(schema: unknown): TextRules | undefined {
  const [rules, setRules] = useState<TextRules>();
  const isWanted = LIVE && /"(?:pattern|format)/.test(JSON.stringify(schema));
  useEffect(() => {
    if (!isWanted) return;
    let isGone = false;
    loading ??= import("../../form/plan/text-rules.ts").then((module) => module.TEXT_RULES);
    // When it cannot be loaded, the server still checks everything.
    void loading.then(
      (loaded) => (isGone ? undefined : setRules(loaded)),
      () => (loading = undefined),
    );
    return () => {
      isGone = true;
    };
  }, [isWanted]);
  return rules;
}
