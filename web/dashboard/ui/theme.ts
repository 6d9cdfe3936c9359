import {
  createTheme,
  defaultVariantColorsResolver,
  Drawer,
  Menu,
  Modal,
  PasswordInput,
  useMantineColorScheme,
} from "@mantine/core";
import type { MantineColorsTuple, VariantColorsResolver } from "@mantine/core";
import { useLayoutEffect } from "react";
import { t } from "../../../languages/text.ts";

const accent: MantineColorsTuple = [
  "#EEEDFC",
  "#DAD8F9",
  "#B9B5F5",
  "#9C97FF",
  "#7A73EE",
  "#5F58E2",
  "#4C45D6",
  "#3F39B8",
  "#332E96",
  "#282474",
];

/** The colour of destructive actions and of failures. */
const bad: MantineColorsTuple = [
  "#FDECEA",
  "#FBD3CE",
  "#FDB1A9",
  "#FF8F85",
  "#E8604F",
  "#CF3F30",
  "#B42318",
  "#951C13",
  "#77160F",
  "#5A100B",
];

/** The kit chooses the text colour of a filled button for the light theme, and keeps it in the dark one. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const resolved = defaultVariantColorsResolver(input);
  if (input.variant !== "filled") return resolved;
  const ground = input.color === "bad" ? "var(--bad)" : "var(--accent)";
  return {
    ...resolved,
    background: ground,
    hover: `color-mix(in srgb, ${ground} 88%, var(--text))`,
    color: "var(--on-accent)",
  };
};

/** The kit with our tokens, so that all components look the same. tokens.css has the colours. */
export const theme = createTheme({
  colors: { accent, bad },
  primaryColor: "accent",
  primaryShade: { light: 6, dark: 3 },
  variantColorResolver,
  fontFamily: "var(--sans)",
  fontFamilyMonospace: "var(--mono)",
  defaultRadius: "var(--radius-control)",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // The page itself never scrolls. To lock scrolling, the kit would write a style element, which the policy forbids.
    Modal: Modal.extend({ defaultProps: { lockScroll: false } }),
    Drawer: Drawer.extend({ defaultProps: { lockScroll: false } }),
    // The placeholder would be a child that is not allowed in menus. The first item takes the focus instead.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    PasswordInput: PasswordInput.extend({
      defaultProps: { visibilityToggleButtonProps: { "aria-label": t("Show the password"), tabIndex: 0 } },
    }),
  },
});

/** Sets the chosen theme on the root element, where tokens.css reads it. Without a choice, the system decides. */
export function ThemeOnRoot(): null {
  const { colorScheme } = useMantineColorScheme();
  useLayoutEffect(() => {
    if (colorScheme === "auto") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = colorScheme;
  }, [colorScheme]);
  return null;
}
