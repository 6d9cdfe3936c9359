import { Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { t } from "../../../languages/text.ts";
import { useAgentName } from "../projects/name.tsx";
import { Confirm } from "../ui/confirm.tsx";
import { toast } from "../ui/toasts.ts";
import { agentQuery, deleteAgent, revokeToken, stopAgent, type Agent, type AgentToken } from "./queries.ts";
import { countOfTasks } from "./words.ts";

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
    return `Couldn't count its open tasks. ${cancels ? t("All of them will be cancelled.") : t("All of them stay.")}`;
  if (open === 0)
    return `It has no open tasks. ${cancels ? t("A task that it is creating now will be cancelled.") : ""}`.trim();
  return cancels
    ? t("{open} will be cancelled.", { open: countOfTasks(open) })
    : `${countOfTasks(open)} ${open === 1 ? "stays" : "stay"}, and people can still answer.`;
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
          Its tasks stay, with its name on them.
          {open_tasks > 0 &&
            t(" People can still answer its {open_tasks}. To cancel them, stop it first.", {
              open_tasks: countOfTasks(open_tasks),
            })}
        </p>
      </div>
    </Confirm>
  );
}

export function RevokeToken({ agent, token, onClose }: AgentProps & { token: AgentToken }) {
  const name = useAgentName(agent);
  const revoke = async (): Promise<void> => {
    await revokeToken(agent.id, token.id);
    toast({ message: t("Token {prefix} revoked", { prefix: token.prefix }) });
  };
  return (
    <Confirm
      title={t("Revoke the token {prefix} of {name}?", { prefix: token.prefix, name })}
      action={t("Revoke token")}
      onConfirm={revoke}
      onClose={onClose}
    >
      <p>{t("Programs that use it are refused from the next request on. This can't be undone.")}</p>
    </Confirm>
  );
}
