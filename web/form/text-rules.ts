import { useEffect, useState } from "react";
import type { TextRules } from "../../form/plan/schema-view.ts";
import { LIVE } from "./live.ts";

let loading: Promise<TextRules> | undefined;

/**
 * Loads the code that checks patterns and formats in the browser, as safe as on the server. Only a schema with either
 * needs it. Until it is loaded, or without scripts, the server checks them.
 */
export function useTextRules(schema: unknown): TextRules | undefined {
  const [rules, setRules] = useState<TextRules>();
  const isWanted = LIVE && /"(?:pattern|format)/.test(JSON.stringify(schema));
  useEffect(() => {
    if (!isWanted) return;
    let isGone = false;
    loading ??= import("../../form/plan/text-rules.ts").then((module) => module.TEXT_RULES);
    // If it cannot be loaded, the server still checks everything.
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
