/** What has to be known of a task. Records and rows of lists have these fields. */
interface Known {
  /** null: one person decides. */
  approvals: unknown;
  action: Risky | null;
  actions: readonly Risky[] | null;
}

interface Risky {
  risk: string;
}

/**
 * Returns why the assistant of a person, with their personal token, may not answer a task for them; null if it may. An assistant
 * is software that may err or be misled by what it reads. What is slow on purpose stays with the person: approvals that are
 * counted by person, and actions with a high risk.
 */
export function whyOnItsPage({ approvals, action, actions }: Known): string | null {
  if (approvals !== null) return "Several people must approve this, each for themselves, on its page.";
  const all = action === null ? (actions ?? []) : [action];
  return all.some(({ risk }) => risk === "high")
    ? "This action has a high risk. Decide it yourself, on its page."
    : null;
}
