import { Button, Checkbox, SegmentedControl, Switch, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { as, t } from "../../../languages/text.ts";
import { patch, post, remove, request } from "../api.ts";
import type { Me } from "../api.ts";
import { BROWSERS, stopNotices, subscription } from "../notified.ts";
import { useSeveralProjects } from "../projects/queries.ts";
import { meQuery, queryClient } from "../queries.ts";
import { ErrorPanel } from "../ui/page.tsx";
import { Moment } from "../ui/times.tsx";
import { toast } from "../ui/toasts.ts";
import { readFailure } from "../task/notifications.ts";
import { idOf } from "./browser-id.ts";
import { browserName } from "./browser-name.ts";
import { Problem, textOf } from "./form.tsx";
import { BROWSER_ZONE, zoneLabel } from "./time-zones.ts";
import { browsersQuery, CHOICES, choicesQuery } from "./queries.ts";
import type { Choices, NotifiedBrowser } from "./queries.ts";
import "../operate.css";

/** How a person is told that something waits for them, besides what tasks ask for. */
export function NotificationSettings() {
  const { data: me } = useQuery(meQuery);
  const query = useQuery(choicesQuery);
  if (me === undefined || query.isPending) return <p className="muted">{t("Loading")}</p>;
  if (query.isError)
    return (
      <ErrorPanel title={t("Could not load your choices")} error={query.error} retry={() => void query.refetch()} />
    );
  return (
    <>
      <Browsers />
      <Quiet me={me} choices={query.data} />
      <Projects choices={query.data} />
      <Digest me={me} choices={query.data} />
    </>
  );
}

/** What this browser can do. */
type Ability = "able" | "needs https" | "needs home screen" | "unable" | "refused";

function abilityOf(): Ability {
  if (!isSecureContext) return "needs https";
  const isApple = /\b(iPhone|iPad)\b/.test(navigator.userAgent);
  if (!("serviceWorker" in navigator) || !("PushManager" in globalThis) || !("Notification" in globalThis))
    return isApple ? "needs home screen" : "unable";
  return Notification.permission === "denied" ? "refused" : "able";
}

const WHY_NOT: Readonly<Record<Exclude<Ability, "able">, string>> = {
  "needs https": t("Notifications need an address that begins with https://. Ask your operator."),
  "needs home screen": t("On this device, add this page to the Home Screen first, and open it there."),
  unable: t("This browser has no notifications for pages."),
  refused: t("This browser blocks notifications of this page. Allow them in its settings for this site, then reload."),
};

const thisBrowserQuery = {
  queryKey: ["notified browsers", "this"],
  queryFn: async () => {
    const known = await subscription();
    return { id: known === null ? null : await idOf(known.endpoint) };
  },
};

function Browsers() {
  const { data: here } = useQuery(thisBrowserQuery);
  const { data } = useQuery(browsersQuery);
  const [ability, setAbility] = useState(abilityOf);
  const known = data?.browsers.find(({ id, is_current }) => id === here?.id && is_current);
  const turn = useMutation({
    mutationFn: async (isOn: boolean) => {
      if (isOn) await startNotices(data!.public_key);
      else await stopNotices();
    },
    onSettled: async () => {
      setAbility(abilityOf());
      await queryClient.invalidateQueries({ queryKey: ["notified browsers"] });
    },
  });
  const test = useMutation({
    mutationFn: () => post<NotifiedBrowser>(`${BROWSERS}/${known!.id}/test`, {}),
    onSettled: () => queryClient.invalidateQueries(browsersQuery),
  });
  if (data === undefined || here === undefined) return null;
  const others = data.browsers.filter(({ id }) => id !== here.id);
  return (
    <section className="surface stack" aria-labelledby="browsers">
      <h2 id="browsers">{t("In your browser")}</h2>
      <p className="muted">
        {t(
          "Get a notification for tasks that are assigned or offered to you, reminders and replies, even while this page is closed. Push services of browser vendors see no content.",
        )}
      </p>
      <Switch
        label={t("Notify me in this browser")}
        labelPosition="left"
        checked={turn.isPending ? turn.variables : known !== undefined}
        disabled={ability !== "able" || turn.isPending}
        onChange={(event) => turn.mutate(event.currentTarget.checked)}
      />
      {ability !== "able" && <p className="notice">{WHY_NOT[ability]}</p>}
      <Problem error={turn.error} />
      {known !== undefined && <Failure browser={known} />}
      {known !== undefined && (
        <div className="row">
          <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
            {t("Send a test")}
          </Button>
        </div>
      )}
      <Problem error={test.error} />
      {others.length > 0 && <Others browsers={others} />}
    </section>
  );
}

function Failure({ browser }: { browser: NotifiedBrowser }) {
  if (browser.failure === null) return null;
  return (
    <p className="notice bad" role="alert">
      {t("The last notification could not be sent. {reason}", { reason: readFailure(browser.failure).sentence })}
    </p>
  );
}

/** Asks for the permission, and gives the service the address of this browser. */
async function startNotices(publicKey: string): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") return;
  await navigator.serviceWorker.register("/worker.js");
  const { pushManager } = await navigator.serviceWorker.ready;
  // One that was made with another key is of no use.
  await (await pushManager.getSubscription())?.unsubscribe();
  const { endpoint } = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  await request("PUT", `${BROWSERS}/${await idOf(endpoint)}`, { endpoint });
}

function Others({ browsers }: { browsers: readonly NotifiedBrowser[] }) {
  const end = useMutation({
    mutationFn: ({ id }: NotifiedBrowser) => remove(`${BROWSERS}/${id}`),
    onSettled: () => queryClient.invalidateQueries(browsersQuery),
  });
  return (
    <>
      <table className="data as-cards" aria-label={t("Other browsers")}>
        <thead>
          <tr>
            <th scope="col">{t("Other browsers")}</th>
            <th scope="col">{t("Last notified")}</th>
            <th scope="col">
              <span className="unseen">{t("Actions")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {browsers.map((browser) => (
            <tr key={browser.id}>
              <th scope="row">{browserName(browser.user_agent)}</th>
              <td data-label={t("Last notified")}>
                {browser.failure !== null ? (
                  readFailure(browser.failure).sentence
                ) : browser.told_at === null ? (
                  t("Never")
                ) : (
                  <Moment at={browser.told_at} />
                )}
              </td>
              <td>
                <Button
                  variant="default"
                  size="xs"
                  aria-label={t("Remove {name}", { name: browserName(browser.user_agent) })}
                  onClick={() => end.mutate(browser)}
                >
                  {t("Remove")}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Problem error={end.error} />
    </>
  );
}

function useSave(done: string) {
  return useMutation({
    mutationFn: async ({ me, ...changes }: Partial<Choices> & { me?: Me }) => {
      // The service reads times of day in the zone of the profile.
      if (me?.time_zone === null)
        queryClient.setQueryData(meQuery.queryKey, await patch<Me>("/api/auth/me", { time_zone: BROWSER_ZONE }));
      return patch<Choices>(CHOICES, changes);
    },
    onSuccess: (after) => {
      queryClient.setQueryData(choicesQuery.queryKey, after);
      toast({ message: done });
    },
  });
}

function Quiet({ me, choices }: { me: Me; choices: Choices }) {
  const [isOn, setIsOn] = useState(choices.quiet_hours !== null);
  const save = useSave(t("Quiet hours saved"));
  return (
    <form
      className="surface stack"
      aria-labelledby="quiet"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        save.mutate({ me, quiet_hours: isOn ? { from: textOf(form, "from"), until: textOf(form, "until") } : null });
      }}
    >
      <h2 id="quiet">{t("Quiet hours")}</h2>
      <p className="muted">
        {t("No browser notifications during these hours. What comes in is shown when they end. In {zone}.", {
          zone: zoneLabel(me.time_zone ?? BROWSER_ZONE),
        })}
      </p>
      <Switch
        label={t("Be quiet every day")}
        labelPosition="left"
        checked={isOn}
        onChange={(event) => setIsOn(event.currentTarget.checked)}
      />
      {isOn && (
        <div className="row">
          <TextInput
            type="time"
            name="from"
            label={t("From")}
            required
            withAsterisk={false}
            defaultValue={choices.quiet_hours?.from ?? "18:00"}
          />
          <TextInput
            type="time"
            name="until"
            label={t("Until")}
            required
            withAsterisk={false}
            defaultValue={choices.quiet_hours?.until ?? "08:00"}
          />
        </div>
      )}
      <Problem error={save.error} />
      <div className="row">
        <Button type="submit" variant="default" loading={save.isPending}>
          {t("Save quiet hours")}
        </Button>
      </div>
    </form>
  );
}

function Projects({ choices }: { choices: Choices }) {
  const projects = useSeveralProjects();
  const save = useSave(t("Projects saved"));
  if (projects === null) return null;
  const muted = new Set(choices.muted_projects);
  return (
    <section className="surface stack" aria-labelledby="projects">
      <h2 id="projects">{t("Projects")}</h2>
      <p className="muted">{t("You are not notified of the projects that are not ticked.")}</p>
      {projects.map(({ slug, name }) => (
        <Checkbox
          key={slug}
          label={name}
          checked={!muted.has(slug)}
          onChange={(event) => {
            const others = choices.muted_projects.filter((one) => one !== slug);
            save.mutate({ muted_projects: event.currentTarget.checked ? others : [...others, slug] });
          }}
        />
      ))}
      <Problem error={save.error} />
    </section>
  );
}

const HOW_OFTEN = [
  { value: "off", label: as("state", "Off") },
  { value: "hourly", label: t("Every hour") },
  { value: "daily", label: t("Every day") },
];

function Digest({ me, choices }: { me: Me; choices: Choices }) {
  const [digest, setDigest] = useState(choices.digest);
  const save = useSave(t("Digest saved"));
  if (me.email === null) return null;
  return (
    <form
      className="surface stack"
      aria-labelledby="digest"
      onSubmit={(event) => {
        event.preventDefault();
        const digest_time = textOf(event.currentTarget, "time") || choices.digest_time;
        save.mutate({ me, digest, digest_time });
      }}
    >
      <h2 id="digest">{t("Email digest")}</h2>
      <p className="muted">
        {t("One email to {email} that lists what waits for you. You get none when nothing does.", { email: me.email })}
      </p>
      {!choices.can_email && (
        <p className="notice">
          {t("This service cannot send email yet. An operator adds a sender under Settings, Email.")}
        </p>
      )}
      <div className="choice">
        <p id="how-often">{t("How often")}</p>
        <SegmentedControl
          withItemsBorders={false}
          aria-labelledby="how-often"
          value={digest}
          onChange={(value) => setDigest(value as Choices["digest"])}
          data={HOW_OFTEN}
        />
      </div>
      {digest === "daily" && (
        <TextInput
          type="time"
          name="time"
          label={as("time of day", "At")}
          description={t("In {zone}.", { zone: zoneLabel(me.time_zone ?? BROWSER_ZONE) })}
          required
          withAsterisk={false}
          defaultValue={choices.digest_time}
        />
      )}
      <Problem error={save.error} />
      <div className="row">
        <Button type="submit" variant="default" loading={save.isPending}>
          {t("Save digest")}
        </Button>
      </div>
    </form>
  );
}
