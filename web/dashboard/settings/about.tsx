import { useQuery } from "@tanstack/react-query";
import { t } from "../../../languages/text.ts";
import { versionQuery } from "./queries.ts";

const PAGES = [
  { href: "/api/docs", label: t("API docs"), about: t("Try the API.") },
  { href: "/api/redoc", label: t("API reference"), about: t("Read the reference.") },
  { href: "/docs/troubleshooting", label: t("Troubleshooting"), about: t("What each error means and how to fix it.") },
];

export function About() {
  const { data } = useQuery(versionQuery);
  return (
    <dl className="surface facts">
      <div>
        <dt>{t("Version")}</dt>
        <dd>{t("Human Task Service {version}", { version: data?.version ?? "" })}</dd>
      </div>
      <div>
        <dt>{t("Licence")}</dt>
        <dd>{t("Apache License 2.0")}</dd>
      </div>
      {PAGES.map(({ href, label, about }) => (
        <div key={href}>
          <dt>
            <a href={href}>{label}</a>
          </dt>
          <dd className="muted">{about}</dd>
        </div>
      ))}
    </dl>
  );
}
