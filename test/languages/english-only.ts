/** Files of which people read nothing but what is named here: code, and texts for developers and operators. */
export const WITHOUT_TEXTS: readonly RegExp[] = [
  // Of the service, what people read is in these files.
  /^src\/(?!(channels\/(action|email\/(message(?!-style)|invitation|digest|notices|end-notice|comment-notice|links))|channels\/(decided|revised|payload-summary)|embed\/page|http\/task-drawing|drawing\/drawing|approvals\/words|tasks\/deadline-words|notifications\/notice))/,
  // Findings for the developer of an agent.
  /^form\/(plan\/ignored-hints|payload\/(hints|key-order|widgets))\.ts$/,
  // Words of languages for machines, and tasks to try, which agents would write.
  /^web\/dashboard\/(task\/highlight\.ts|ui\/snippet\.tsx|inbox\/sample-task\.ts|playground\/examples\.ts|settings\/browser-name\.ts)$/,
];

/** Texts that are the same in each language, by their beginning. */
export const ENGLISH_ONLY: readonly { file: string; texts: readonly string[] }[] = [
  // Statuses of HTTP.
  { file: "web/dashboard/deliveries/status.tsx", texts: ["Created", "Accepted", "No Content"] },
  // What is typed into a host.
  { file: "web/dashboard/hooks/host-settings.tsx", texts: ["Bearer"] },
  { file: "web/dashboard/settings/personal-tokens.tsx", texts: ["Bearer", "claude mcp add"] },
  // What a search may say, and names of parameters.
  { file: "web/dashboard/inbox/task-list.tsx", texts: ["open, closed"] },
  { file: "web/dashboard/views/filter.ts", texts: ["scope sort"] },
  // For operators.
  { file: "src/channels/email/digest.ts", texts: ["The email sender"] },
  // A name.
  { file: "web/dashboard/settings/mail-transports.ts", texts: ["Resend"] },
  // For Slack and for agents, which have English only.
  {
    file: "endings/sentences.ts",
    texts: [
      "You already answered this.",
      "Already answered by",
      "Answered by {who}.",
      "Answered.",
      "No one answered in time",
      "This task was cancelled.",
      "The request was cancelled",
      "Automatic check failed",
      "No answer passed",
      "This task timed out.",
    ],
  },
  // For the product that embeds the form.
  { file: "web/embed/service.ts", texts: ["Bearer", "No connection."] },
  // Policies, classes and selectors.
  { file: "src/channels/action/page.ts", texts: ["'self'"] },
  { file: "src/embed/page.ts", texts: ["'self'"] },
  { file: "web/form/focus.ts", texts: ["input:not"] },
  { file: "web/form/payload/changes.tsx", texts: ["payload-chip"] },
  { file: "web/form/payload/scalars.tsx", texts: ["payload-chip"] },
  // Drawings and colours.
  { file: "web/dashboard/live.ts", texts: ["%3Ccircle"] },
  { file: "web/dashboard/ui/theme.ts", texts: ["color-mix"] },
];
