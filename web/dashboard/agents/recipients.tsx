import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import type { Agent } from "./queries.ts";
import { RECIPIENTS, recipientModeOf, type RecipientMode } from "./words.ts";

type Recipients = Agent["recipients"];

interface RecipientInputsProps {
  recipients: Recipients;
  label: string;
  errors: { readonly [Field in "mode" | "domains" | "slack_teams"]?: string | undefined };
}

/** The inputs for the people that agents may ask. */
export function RecipientInputs({ recipients, label, errors }: RecipientInputsProps) {
  const [mode, setMode] = useState<RecipientMode>(recipientModeOf({ recipients }));
  return (
    <>
      <NativeSelect
        name="mode"
        label={label}
        description={t("An agent that was tricked into asking a stranger must not get an approval from them.")}
        data={Object.entries(RECIPIENTS).map(([value, label]) => ({ value, label }))}
        value={mode}
        onChange={(event) => setMode(event.currentTarget.value as RecipientMode)}
        error={errors.mode}
      />
      {mode === "list" && (
        <>
          <TextInput
            name="domains"
            label={t("Email domains")}
            description={t("Such as example.com, separated by commas.")}
            autoComplete="off"
            defaultValue={recipients?.domains?.join(", ") ?? ""}
            error={errors.domains}
          />
          <TextInput
            name="slack_teams"
            label={t("Slack workspaces")}
            description={t("Their ids, such as T0123456, separated by commas.")}
            autoComplete="off"
            defaultValue={recipients?.slack_teams?.join(", ") ?? ""}
            error={errors.slack_teams}
          />
        </>
      )}
    </>
  );
}

/** Returns what was chosen in a form with these inputs. @param before - what was stored */
export function readRecipients(form: HTMLFormElement, before: Recipients): Recipients {
  const data = new FormData(form);
  const listOf = (name: string): string[] => {
    const value = data.get(name);
    return typeof value === "string" ? value.split(/[\s,]+/).filter((one) => one !== "") : [];
  };
  const mode = data.get("mode") as RecipientMode;
  if (mode === "list") return { mode, domains: listOf("domains"), slack_teams: listOf("slack_teams") };
  // There may be Slack workspaces, which the form does not show for this mode.
  if (recipientModeOf({ recipients: before }) === mode) return before;
  return { mode };
}
