import { Button } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { plural, t } from "../../../languages/text.ts";
import type { StatsSearch } from "./figures.ts";

const LAST = [
  { days: "7", label: plural(7, "{n} day", "{n} days") },
  { days: undefined, label: plural(30, "{n} day", "{n} days") },
  { days: "90", label: plural(90, "{n} day", "{n} days") },
] as const;

/** Chooses the days of the page: the last ones, or from one to another. */
export function Days({ search }: { search: StatsSearch }) {
  const navigate = useNavigate();
  const isOwn = search.from !== undefined && search.to !== undefined;
  const [from, setFrom] = useState(search.from ?? "");
  const [to, setTo] = useState(search.to ?? "");
  const [today] = useState(() => new Date().toISOString().slice(0, 10));
  return (
    <div className="stats-days">
      <nav className="filters" aria-label={t("Days")}>
        {LAST.map(({ days, label }) => (
          <Link
            key={label}
            to="/stats"
            search={{ days }}
            activeProps={{ "aria-current": undefined }}
            aria-current={!isOwn && search.days === days ? "page" : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      <form
        aria-label={t("Own days")}
        onSubmit={(event) => {
          event.preventDefault();
          void navigate({ to: "/stats", search: { from, to } });
        }}
      >
        <input
          type="date"
          aria-label={t("First day (UTC)")}
          required
          max={to || today}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <span aria-hidden>–</span>
        <input
          type="date"
          aria-label={t("Last day (UTC)")}
          required
          min={from}
          max={today}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" size="xs">
          {t("Show")}
        </Button>
      </form>
    </div>
  );
}
