import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
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
  if (query.isPending) return <p className="muted">Loading</p>;
  if (query.isError)
    return <ErrorPanel title="Could not load your sessions" error={query.error} retry={() => void query.refetch()} />;
  const others = query.data.filter(({ current }) => !current);
  return (
    <section className="surface stack" aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      <p className="muted">End sessions that you don't recognize, and change your password.</p>
      <SessionTable sessions={query.data} onEnd={end} />
      {others.length > 0 && (
        <div className="row">
          <Button variant="default" onClick={() => end("others")}>
            End all other sessions
          </Button>
        </div>
      )}
      {ending !== null && (
        <Confirm
          title={ending === "others" ? "End all other sessions?" : `End the session of ${nameOf(ending)}?`}
          action={ending === "others" ? "End sessions" : "End session"}
          onConfirm={async () => {
            await remove(ending === "others" ? SESSIONS : `${SESSIONS}/${ending.id}`);
            toast({ message: ending === "others" ? "All other sessions ended" : "Session ended" });
            await queryClient.invalidateQueries(sessionsQuery);
          }}
          onClose={close}
        >
          {ending === "others"
            ? "You are signed out everywhere but here, immediately."
            : "You are signed out there immediately."}
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
    <table className="data as-cards" aria-label="Sessions">
      <thead>
        <tr>
          <th scope="col">Browser</th>
          <th scope="col">Signed in</th>
          <th scope="col">Last used</th>
          <th scope="col">
            <span className="unseen">Actions</span>
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
              <code title="The network address of the sign-in">{session.address ?? "Unknown address"}</code>
            </th>
            <td data-label="Signed in">
              <Time at={session.created_at} />
            </td>
            <td data-label="Last used">{session.current ? "This session" : <Moment at={session.last_used_at} />}</td>
            <td>
              {!session.current && (
                <Button
                  variant="default"
                  size="xs"
                  aria-label={`End the session of ${nameOf(session)}`}
                  onClick={() => onEnd(session)}
                >
                  End
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
