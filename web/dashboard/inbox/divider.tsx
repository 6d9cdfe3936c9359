import { useMediaQuery } from "@mantine/hooks";
import { t } from "../../../languages/text.ts";
import { setPreferences, usePreferences } from "../ui/preferences.ts";
import { columnsOf, LIST_MAX, LIST_MIN } from "./widths.ts";

const STEP = 16;

/** Divides the list from the task. It is dragged, or moved with arrows; a double click gives the width of the design. */
export function Divider() {
  const { listWidth } = usePreferences();
  const isRail = useMediaQuery("(max-width: 1319.98px)", false, { getInitialValueInEffect: false });
  const width = listWidth ?? (isRail ? 320 : 348);
  const set = (to: number) => setPreferences({ listWidth: Math.round(Math.min(Math.max(to, LIST_MIN), LIST_MAX)) });
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a separator with a value is a control
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as above
      role="separator"
      className="divider"
      aria-label={t("Width of the list")}
      aria-orientation="vertical"
      aria-valuemin={LIST_MIN}
      aria-valuemax={LIST_MAX}
      aria-valuenow={width}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- as above
      tabIndex={0}
      onDoubleClick={() => setPreferences({ listWidth: null })}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={({ currentTarget: divider, pointerId, clientX }) => {
        const desk = divider.parentElement;
        if (desk === null || !divider.hasPointerCapture(pointerId)) return;
        // Only the columns change while it moves. The rows need not be drawn again.
        desk.style.gridTemplateColumns = columnsOf(clientX - desk.getBoundingClientRect().left);
      }}
      onLostPointerCapture={({ currentTarget: { parentElement: desk }, clientX }) => {
        if (desk !== null && desk.style.gridTemplateColumns !== columnsOf(listWidth))
          set(clientX - desk.getBoundingClientRect().left);
      }}
      onKeyDown={(event) => {
        const to = {
          ArrowLeft: width - STEP,
          ArrowRight: width + STEP,
          Home: LIST_MIN,
          End: LIST_MAX,
        }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        set(to);
      }}
    />
  );
}
