import { Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { plural, t } from "../../../languages/text.ts";
import { useAgentName } from "../projects/name.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { toast } from "../ui/toasts.ts";
import { agentQuery, deleteAgent, revokeToken, stopAgent, type Agent, type AgentToken } from "./queries.ts";

interface AgentProps {
  agent: Agent;
  onClose: () => void;
}

/** Asks for confirmation before an agent is stopped, and says what happens to its open tasks. */
export function StopAgent({ agent: listed, onClose }: AgentProps) {
  const { id } = listed;
  const name = useAgentName(listed);
  const { data: agent, isPending } = useQuery(agentQuery(id));
  const [cancels, setCancels] = useState(true);
  if (isPending) return null;
  const open = agent?.open_tasks ?? null;
  const stop = async (): Promise<void> => {
    await stopAgent(id, cancels);
    toast({ message: t("{name} is stopped", { name }) });
  };
  return (
    <Confirm title={t("Stop {name}?", { name })} action={t("Stop it")} onConfirm={stop} onClose={onClose}>
      <div className="stack">
        <p>{t("Its tokens are refused from the next request on, until you let it go on.")}</p>
        <Checkbox
          label={t("Cancel its open tasks")}
          checked={cancels}
          onChange={(event) => setCancels(event.currentTarget.checked)}
        />
        <output>{effectOf(open, cancels)}</output>
      </div>
    </Confirm>
  );
}

/** @param open - its open tasks; null if that is unknown */
function effectOf(open: number | null, cancels: boolean): string {
  if (open === null)
    return cancels
      ? t("Couldn't count its open tasks. All of them will be cancelled.")
      : t("Couldn't count its open tasks. All of them stay.");
  if (open === 0)
    return cancels
      ? t("It has no open tasks. A task that it is creating now will be cancelled.")
      : t("It has no open tasks.");
  return cancels
    ? plural(open, "{n} open task will be cancelled.", "{n} open tasks will be cancelled.")
    : plural(
        open,
        "{n} open task stays, and people can still answer.",
        "{n} open tasks stay, and people can still answer.",
      );
}

export function DeleteAgent({ agent, onClose }: AgentProps) {
  const { id, open_tasks } = agent;
  const name = useAgentName(agent);
  const remove = async (): Promise<void> => {
    await deleteAgent(id);
    toast({ message: t("{name} deleted", { name }) });
  };
  return (
    <Confirm title={t("Delete {name}?", { name })} action={t("Delete")} onConfirm={remove} onClose={onClose}>
      <div className="stack">
        <p>{t("Its tokens stop working immediately. This can't be undone.")}</p>
        <p>
          {t("Its tasks stay, with its name on them.")}
          {open_tasks > 0 &&
            ` ${plural(
              open_tasks,
              "People can still answer its {n} open task. To cancel it, stop the agent first.",
              "People can still answer its {n} open tasks. To cancel them, stop it first.",
            )}`}
        </p>
      </div>
    </Confirm>
  );
}

export function RevokeToken({ agent, token, onClose }: AgentProps & { token: AgentToken }) {
  const name = useAgentName(agent);
  const revoke = async (): Promise<void> => {
    await revokeToken(agent.id, token.id);
    toast({ message: t("Token {token} revoked", { token: token.prefix }) });
  };
  return (
    <Confirm
      title={t("Revoke the token {token} of {name}?", { token: token.prefix, name })}
      action={t("Revoke token")}
      onConfirm={revoke}
      onClose={onClose}
    >
      <p>{t("Programs that use it are refused from the next request on. This can't be undone.")}</p>
    </Confirm>
  );
}
