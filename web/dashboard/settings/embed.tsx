import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { as, t } from "../../../languages/text.ts";
import { rich } from "../../rich.tsx";
import { ErrorPanel } from "../ui/page.tsx";
import { settingsQuery } from "./queries.ts";
import { StateChip } from "./status.tsx";

export function Embed() {
  const settings = useQuery(settingsQuery);
  if (settings.isPending) return <p className="muted">{t("Loading")}</p>;
  if (settings.isError)
    return (
      <ErrorPanel
        title={t("Could not load the settings")}
        error={settings.error}
        retry={() => void settings.refetch()}
      />
    );
  const { embed } = settings.data;
  return (
    <dl className="surface facts">
      <div>
        <dt>{t("Embed")}</dt>
        <dd>
          <p>
            <StateChip
              state={embed.configured ? "on" : "off"}
              value={embed.configured ? as("state", "On") : as("state", "Off")}
            />
          </p>
          <p className="muted">{t("The secret that signs the tokens: 32 random bytes or more, in hex.")}</p>
          <code>SERVICE_EMBED_SIGNING_SECRET</code>
        </dd>
      </div>
      <div>
        <dt>{t("Allowed origins")}</dt>
        <dd>
          {embed.allowed_origins.length === 0 ? (
            <p>{t("None. No page may embed the form.")}</p>
          ) : (
            <ul>
              {embed.allowed_origins.map((origin) => (
                <li key={origin}>
                  <strong>{origin}</strong>
                </li>
              ))}
            </ul>
          )}
          <p className="muted">
            {t("The pages that may show the form, such as https://shop.example.com, comma-separated.")}
          </p>
          <code>SERVICE_EMBED_PARENT_ORIGINS</code>
        </dd>
      </div>
      <div>
        <dt>{t("Tokens")}</dt>
        <dd>
          <p className="muted">
            {rich("Each product mints them with a key of its own. See {link}.", {
              link: (
                <Link to="/settings/{-$part}" params={{ part: "keys" }}>
                  {t("Embed keys")}
                </Link>
              ),
            })}
          </p>
        </dd>
      </div>
    </dl>
  );
}
