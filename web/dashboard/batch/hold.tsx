import { Button } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { plural, t } from "../../../languages/text.ts";
import { useNow } from "../ui/now.ts";
import { toast } from "../ui/toasts.ts";

/** Many answers cannot be taken back one by one, so there is always time to do it before, whatever the person chose for one. */
const HOLD_SECONDS = 5;

interface Hold {
  readonly isOn: boolean;
  /** When it ends, in epoch milliseconds. */
  readonly until: number;
  /** Waits for the time to take the answers back. @returns false if the person did that, or left the page */
  readonly wait: () => Promise<boolean>;
  readonly cancel: () => void;
  readonly end: () => void;
}

export function useHold(): Hold {
  const [until, setUntil] = useState<number | null>(null);
  const resolve = useRef<((isLetGo: boolean) => void) | null>(null);
  useEffect(
    () => () => {
      if (resolve.current === null) return;
      resolve.current(false);
      toast({ message: t("Nothing was sent, because you left the page"), tone: "bad" });
    },
    [],
  );
  return {
    isOn: until !== null,
    until: until ?? 0,
    wait: async () => {
      const waited = Promise.withResolvers<boolean>();
      resolve.current = waited.resolve;
      const timer = setTimeout(() => waited.resolve(true), HOLD_SECONDS * 1000);
      setUntil(Date.now() + HOLD_SECONDS * 1000);
      try {
        return await waited.promise;
      } finally {
        clearTimeout(timer);
        resolve.current = null;
        setUntil(null);
      }
    },
    cancel: () => resolve.current?.(false),
    end: () => resolve.current?.(true),
  };
}

/** Says that the answers are about to be sent. */
export function HoldPanel({ count, hold }: { count: number; hold: Hold }) {
  const now = useNow((at) => (at < hold.until ? 250 : null));
  const left = Math.max(1, Math.ceil((hold.until - now) / 1000));
  return (
    <div className="notice info batch-hold">
      <p aria-hidden="true">
        {plural(count, "Sending {n} answer in {left} s", "Sending {n} answers in {left} s", { left })}
      </p>
      <output className="unseen">
        {plural(count, "Sending {n} answer in {seconds} seconds", "Sending {n} answers in {seconds} seconds", {
          seconds: HOLD_SECONDS,
        })}
      </output>
      <div className="row">
        {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- the button that was pressed is disabled now */}
        <Button variant="default" size="xs" autoFocus onClick={hold.cancel}>
          {t("Don't send")}
        </Button>
        <Button variant="default" size="xs" onClick={hold.end}>
          {t("Send now")}
        </Button>
      </div>
    </div>
  );
}
