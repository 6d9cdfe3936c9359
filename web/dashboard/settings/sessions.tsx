import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { as, t } from "../../../languages/text.ts";
import { remove } from "../api.ts";
import { queryClient } from "../queries.ts";
import { Confirm } from "../ui/confirm.tsx";
import { useDialog } from "../ui/dialog.ts";
import { ErrorPanel } from "../ui/page.tsx";
import { Moment, Time } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";
import { browserName } from "./browser-name.ts";
import { SESSIONS, sessionsQuery } from "./queries.ts";
import type { Session } from "./queries.ts";
import "../operate.css";

/** Where the person is signed in. */
export function Sessions() {
  const query = useQuery(sessionsQuery);
  const { asked: ending, ask: end, close } = useDialog<Session | "others">();
  if (query.isPending) return <p className="muted">{t("Loading")}</p>;
  if (query.isError)
    return (
      <ErrorPanel title={t("Could not load your sessions")} error={query.error} retry={() => void query.refetch()} />
    );
  const others = query.data.filter(({ current }) => !current);
  return (
    <section className="surface stack" aria-labelledby="sessions">
      <h2 id="sessions">{t("Where you are signed in")}</h2>
      <p className="muted">{t("End sessions that you don't recognize, and change your password.")}</p>
      <SessionTable sessions={query.data} onEnd={end} />
      {others.length > 0 && (
        <div className="row">
          <Button variant="default" onClick={() => end("others")}>
            {t("End all other sessions")}
          </Button>
        </div>
      )}
      {ending !== null && (
        <Confirm
          title={
            ending === "others"
              ? t("End all other sessions?")
              : t("End the session of {browser}?", { browser: nameOf(ending) })
          }
          action={ending === "others" ? t("End sessions") : t("End session")}
          onConfirm={async () => {
            await remove(ending === "others" ? SESSIONS : `${SESSIONS}/${ending.id}`);
            toast({ message: ending === "others" ? t("All other sessions ended") : t("Session ended") });
            await queryClient.invalidateQueries(sessionsQuery);
          }}
          onClose={close}
        >
          {ending === "others"
            ? t("You are signed out everywhere but here, immediately.")
            : t("You are signed out there immediately.")}
        </Confirm>
      )}
    </section>
  );
}

function nameOf({ user_agent }: Session): string {
  return browserName(user_agent);
}

function SessionTable({ sessions, onEnd }: { sessions: readonly Session[]; onEnd: (session: Session) => void }) {
  return (
    <table className="data as-cards" aria-label={t("Sessions")}>
      <thead>
        <tr>
          <th scope="col">{t("Browser")}</th>
          <th scope="col">{t("Signed in")}</th>
          <th scope="col">{t("Last used")}</th>
          <th scope="col">
            <span className="unseen">{t("Actions")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <tr key={session.id}>
            <th scope="row">
              <strong title={session.user_agent ?? ""}>
                <bdi>{nameOf(session)}</bdi>
              </strong>
              <code title={t("The network address of the sign-in")}>{session.address ?? t("Unknown address")}</code>
            </th>
            <td data-label={t("Signed in")}>
              <Time at={session.created_at} />
            </td>
            <td data-label={t("Last used")}>
              {session.current ? t("This session") : <Moment at={session.last_used_at} />}
            </td>
            <td>
              {!session.current && (
                <Button
                  variant="default"
                  size="xs"
                  aria-label={t("End the session of {browser}", { browser: nameOf(session) })}
                  onClick={() => onEnd(session)}
                >
                  {as("verb", "End")}
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
