import { useMediaQuery } from "@mantine/hooks";

/**
 * Returns whether the window is as narrow as a phone's, like in dashboard.css. Menus leave items out by this. If a
 * style sheet hid an item, the kit would still focus it, and keys could not reach the others.
 */
export function useIsPhone(): boolean {
  return useMediaQuery("(max-width: 767.98px)", false, { getInitialValueInEffect: false });
}
