import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ErrorPanel } from "../ui/page.tsx";
import { settingsQuery } from "./queries.ts";
import { StateChip } from "./status.tsx";

export function Embed() {
  const settings = useQuery(settingsQuery);
  if (settings.isPending) return <p className="muted">Loading</p>;
  if (settings.isError)
    return (
      <ErrorPanel title="Could not load the settings" error={settings.error} retry={() => void settings.refetch()} />
    );
  const { embed } = settings.data;
  return (
    <dl className="surface facts">
      <div>
        <dt>Embed</dt>
        <dd>
          <p>
            <StateChip state={embed.configured ? "on" : "off"} value={embed.configured ? "On" : "Off"} />
          </p>
          <p className="muted">The secret that signs the tokens: 32 random bytes or more, in hex.</p>
          <code>SERVICE_EMBED_SIGNING_SECRET</code>
        </dd>
      </div>
      <div>
        <dt>Allowed origins</dt>
        <dd>
          {embed.allowed_origins.length === 0 ? (
            <p>None. No page may embed the form.</p>
          ) : (
            <ul>
              {embed.allowed_origins.map((origin) => (
                <li key={origin}>
                  <strong>{origin}</strong>
                </li>
              ))}
            </ul>
          )}
          <p className="muted">The pages that may show the form, such as https://shop.example.com, comma-separated.</p>
          <code>SERVICE_EMBED_PARENT_ORIGINS</code>
        </dd>
      </div>
      <div>
        <dt>Tokens</dt>
        <dd>
          <p className="muted">
            Each product mints them with a key of its own. See{" "}
            <Link to="/settings/{-$part}" params={{ part: "keys" }}>
              Embed keys
            </Link>
            .
          </p>
        </dd>
      </div>
    </dl>
  );
}
