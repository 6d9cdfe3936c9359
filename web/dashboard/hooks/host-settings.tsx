import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { CopyButton } from "../ui/copy.tsx";

/** What connects Claude Code: a token, and a file of settings. @param isOpen - before the first call */
export function HostSettings({ isOpen }: { isOpen: boolean }) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const text = JSON.stringify(settingsFor(location.origin), null, 2);
  return (
    <details
      className="surface fold"
      open={chosen ?? isOpen}
      // The first call does not close it while somebody reads.
      onToggle={(event) => setChosen(event.currentTarget.open)}
    >
      <summary>{t("Connect Claude Code")}</summary>
      <ol className="instructions">
        <li>
          {rich(
            "Create an agent and a token under {agents}. Keep the token as {variable} in the environment of Claude Code.",
            { agents: <Link to="/agents">{t("Agents")}</Link>, variable: <code>HUMAN_TASK_TOKEN</code> },
          )}
        </li>
        <li>
          {rich("Add this to {file}, or to {project_file} of one project. {matcher} says which tools ask.", {
            file: <code>~/.claude/settings.json</code>,
            project_file: <code>.claude/settings.json</code>,
            matcher: <code>matcher</code>,
          })}
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
          <pre className="snippet" tabIndex={0}>
            {text}
          </pre>
          <div className="row end">
            <CopyButton text={text} label={t("Copy the settings")} />
          </div>
        </li>
        <li>{t("Start a new session of Claude Code. Its first call appears on this page.")}</li>
      </ol>
      <p className="muted">
        {rich("The page {page} of this service says more, and the {reference} describes the routes.", {
          page: <code>docs/hooks.md</code>,
          reference: <a href="/api/redoc">{t("API reference")}</a>,
        })}
      </p>
    </details>
  );
}

/** The same as in docs/hooks.md. @param base - the address of the service */
function settingsFor(base: string): object {
  const hook = {
    type: "http",
    url: `${base}/api/hooks/claude-code`,
    timeout: 600,
    headers: { Authorization: "Bearer $HUMAN_TASK_TOKEN" },
    allowedEnvVars: ["HUMAN_TASK_TOKEN"],
    onFailure: "block",
  };
  return { hooks: { PreToolUse: [{ matcher: "Bash|Write|Edit", hooks: [hook] }] } };
}
