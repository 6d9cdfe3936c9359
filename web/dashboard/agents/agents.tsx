import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { t } from "../../../languages/text.ts";
import { useDialog } from "../ui/dialog.ts";
import { Loading, LoadMore } from "../ui/loading.tsx";
import { ErrorPanel, Page } from "../ui/page.tsx";
import { AgentCard, type AgentAction } from "./card.tsx";
import { DeleteAgent, RevokeToken, StopAgent } from "./confirmations.tsx";
import { AgentForm } from "./form.tsx";
import { agentsQuery } from "./queries.ts";
import { NewToken } from "./new-token.tsx";
import "../operate.css";
import "../settings/settings.css";

/** The open dialog. */
type Asked = AgentAction | { kind: "add" };

/** The programs that ask people, with their tokens. */
export function AgentsPage() {
  const { asked, ask, close } = useDialog<Asked>();
  return (
    <Page
      title={t("Agents")}
      about={t("Programs that ask people")}
      actions={<Button onClick={() => ask({ kind: "add" })}>{t("Add an agent")}</Button>}
    >
      <Agents onAction={ask} />
      {asked !== null && <Dialog asked={asked} onClose={close} />}
    </Page>
  );
}

function Dialog({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  switch (asked.kind) {
    case "add":
      return <AgentForm agent={null} onClose={onClose} />;
    case "edit":
      return <AgentForm agent={asked.agent} onClose={onClose} />;
    case "stop":
      return <StopAgent agent={asked.agent} onClose={onClose} />;
    case "delete":
      return <DeleteAgent agent={asked.agent} onClose={onClose} />;
    case "token":
      return <NewToken agent={asked.agent} onClose={onClose} />;
    case "revoke":
      return <RevokeToken agent={asked.agent} token={asked.token} onClose={onClose} />;
  }
}

function Agents({ onAction }: { onAction: (action: AgentAction) => void }) {
  const query = useInfiniteQuery(agentsQuery);
  if (query.isPending) return <Loading />;
  if (query.isError)
    return <ErrorPanel title={t("Could not load the agents")} error={query.error} retry={() => void query.refetch()} />;
  const agents = query.data.pages.flatMap((page) => page.data);
  if (agents.length === 0)
    return (
      <div className="empty">
        <h2>{t("No agents yet")}</h2>
        <p>
          {t(
            "An agent is a program that asks people. It has a name, which people see on its tasks, a token of its own, and limits. You can stop one agent without stopping the others.",
          )}
        </p>
        <p>
          {t("The admin token may do everything. Give each program an agent, and keep the admin token to yourself.")}
        </p>
      </div>
    );
  return (
    <>
      {agents.map((agent) => (
        <AgentCard key={agent.id} agent={agent} onAction={onAction} />
      ))}
      <LoadMore query={query} />
    </>
  );
}
