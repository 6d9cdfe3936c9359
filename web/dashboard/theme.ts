import { createTheme } from "@mantine/core";
import type { MantineColorsTuple } from "@mantine/core";

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

/** The kit under our tokens: what it draws by itself looks like the rest. tokens.css has the colours. */
export const theme = createTheme({
  colors: { accent },
  primaryColor: "accent",
  primaryShade: { light: 6, dark: 3 },
  autoContrast: true,
  fontFamily: "var(--sans)",
  fontFamilyMonospace: "var(--mono)",
  defaultRadius: "var(--radius-control)",
  cursorType: "pointer",
  respectReducedMotion: true,
});
