/** Files of which people read nothing but what is named here: code, and texts for developers and operators. */
export const WITHOUT_TEXTS: readonly RegExp[] = [
  // Of the service, what people read is in these files.
  /^src\/(?!(channels\/(action|email\/(message|digest|notices|end-notice|comment-notice|links))|channels\/(decided|revised|payload-summary)|embed\/page|http\/task-drawing|drawing\/drawing|approvals\/words|tasks\/deadline-words|notifications\/notice))/,
  // Findings for the developer of an agent.
  /^form\/(plan\/ignored-hints|payload\/(hints|key-order|widgets))\.ts$/,
];

/** Texts that are the same in each language, by their beginning. */
export const ENGLISH_ONLY: readonly { file: string; texts: readonly string[] }[] = [];
