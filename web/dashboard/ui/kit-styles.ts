import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from "@mantine/core";
import { theme } from "./theme.ts";

/** The kit's colours that we set. Each token has both themes. */
const TOKENS = {
  "--mantine-color-body": "var(--bg)",
  "--mantine-color-text": "var(--text)",
  "--mantine-color-dimmed": "var(--text-2)",
  "--mantine-color-placeholder": "var(--text-3)",
  "--mantine-color-error": "var(--bad)",
  "--mantine-color-default": "var(--raised)",
  "--mantine-color-default-hover": "var(--hover)",
  "--mantine-color-default-border": "var(--control-edge)",
  "--mantine-color-disabled": "var(--hover)",
  "--mantine-color-disabled-color": "var(--text-3)",
};

/**
 * Sets the kit's variables in a style sheet that a script creates. The kit itself would write a style element, which
 * the page's policy forbids.
 */
export function adoptKitVariables(): void {
  const { variables, light, dark } = defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme));
  const ours = { variables, light: { ...light, ...TOKENS }, dark: { ...dark, ...TOKENS } };
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(convertCssVariables(ours, ":root"));
  document.adoptedStyleSheets.push(sheet);
}
