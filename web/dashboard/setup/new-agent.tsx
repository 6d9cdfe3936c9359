import { Button, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { t } from "../../../languages/text.ts";
import { addAgent, addToken } from "../agents/queries.ts";
import { ApiError } from "../api.ts";
import { CopyButton } from "../ui/copy.tsx";
import { Problem, textOf } from "../settings/form.tsx";

const NAME = "my-agent";

interface NewAgentProps {
  /** The token of the agent that was created here; null: none yet. */
  token: string | null;
  onToken: (token: string) => void;
}

/** Creates an agent with a token, which the calls below then have. A token is shown once: a reload forgets it. */
export function NewAgent({ token, onToken }: NewAgentProps) {
  const create = useMutation({
    mutationFn: async (name: string) => {
      const agent = await addAgent({ name });
      return { name, ...(await addToken(agent.id, null)) };
    },
    onSuccess: ({ token }) => onToken(token),
  });
  const isTaken = create.error instanceof ApiError && create.error.code === "AGENT_ALREADY_EXISTS";
  if (token !== null)
    return (
      <>
        <output className="notice ok">
          {t("The agent {name} is ready. Store its token now: it is not shown again.", {
            name: create.data?.name ?? "",
          })}
        </output>
        <code className="secret">{token}</code>
        <div className="row">
          <CopyButton text={token} label={t("Copy token")} />
        </div>
      </>
    );
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate(textOf(event.currentTarget, "agent"));
      }}
    >
      <TextInput
        name="agent"
        label={t("Name of your agent")}
        description={t("People see it on its tasks.")}
        autoComplete="off"
        maxLength={64}
        required
        withAsterisk={false}
        defaultValue={NAME}
        error={isTaken && create.error?.message}
      />
      {!isTaken && <Problem error={create.error} />}
      <div className="row">
        <Button type="submit" loading={create.isPending}>
          {t("Create agent and token")}
        </Button>
      </div>
    </form>
  );
}
