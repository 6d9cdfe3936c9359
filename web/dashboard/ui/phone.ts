import { useMediaQuery } from "@mantine/hooks";

/**
 * Whether the window is as narrow as a phone's, as in dashboard.css. Menus leave items out by this: an item that a style
 * sheet hides would still be where the kit puts the focus, and then no key reaches the others.
 */
export function useIsPhone(): boolean {
  return useMediaQuery("(max-width: 767.98px)", false, { getInitialValueInEffect: false });
}
