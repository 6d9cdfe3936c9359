import { useQuery } from "@tanstack/react-query";
import { as, t } from "../../../languages/text.ts";
import { connectionsQuery, kindsQuery } from "../connections/queries.ts";
import { engineName } from "../connections/words.ts";
import { subscriptionsQuery } from "../subscriptions/queries.ts";
import { hostOf } from "../ui/urls.ts";
import type { Delivery } from "./queries.ts";

type Kind = Delivery["kind"];

/** The labels of the kinds: of one, and of all. */
export const KINDS: Readonly<Record<Kind, { one: string; all: string }>> = {
  callback: { one: t("Callback"), all: t("Callbacks") },
  resume: {
    one: as("a delivery that resumes a workflow", "Resume"),
    all: as("deliveries that resume a workflow", "Resumes"),
  },
  event: { one: t("Event"), all: t("Events") },
};

/** What the answer of an engine meant. */
const MEANINGS: Readonly<Record<string, string>> = {
  done: t("Resumed"),
  done_already: t("Was resumed before"),
  gone: t("Nothing waits there any more"),
  later: t("Not resumed yet"),
  refused: t("The engine refuses the secret"),
};

/** Returns what the answer of an engine meant; null if there was none, or for another kind of delivery. */
export function meaningWords(meaning: string | null): string | null {
  return meaning === null ? null : (MEANINGS[meaning] ?? meaning);
}

/** Returns how connections and subscriptions are called, by their ids. One that is deleted is called by its id. */
export function useNamesOf(): { connection: (id: string) => string; subscription: (id: string) => string } {
  const { data: connections = [] } = useQuery(connectionsQuery);
  const { data: subscriptions = [] } = useQuery(subscriptionsQuery);
  return {
    connection: (id) => connections.find((one) => one.id === id)?.name ?? id,
    subscription: (id) => {
      const url = subscriptions.find((one) => one.id === id)?.url;
      return url === undefined ? id : hostOf(url);
    },
  };
}

/** Returns what says of a delivery what it is, such as "Resume, Temporal, production". */
export function useWhat(): (delivery: Delivery) => string {
  const { data: kinds } = useQuery(kindsQuery);
  const { data: connections = [] } = useQuery(connectionsQuery);
  return ({ kind, engine, connection }) => {
    const name = connections.find(({ id }) => id === connection)?.name;
    return [KINDS[kind].one, engine === null ? undefined : engineName(kinds, engine), name]
      .filter((word) => word !== undefined)
      .reduce((before, next) => as("of one thing", "{fact}, {next}", { fact: before, next }));
  };
}
