/**
 * The style of emails. Essential styles are inline, for clients that drop style sheets. The sheet adds the dark theme and
 * rules for phones. Colours are those of web/tokens.css, in light and dark.
 */
export const COLOURS = {
  page: { light: "#f7f8fa", dark: "#101218" },
  raised: { light: "#ffffff", dark: "#1b1f2a" },
  line: { light: "#e3e6ec", dark: "#2b313f" },
  edge: { light: "#848c9c", dark: "#737c8f" },
  text: { light: "#14171f", dark: "#eceff5" },
  text2: { light: "#545c6b", dark: "#a9b1c1" },
  accent: { light: "#4c45d6", dark: "#9c97ff" },
  onAccent: { light: "#ffffff", dark: "#12121c" },
  warn: { light: "#8a5300", dark: "#f2b45a" },
  warnSoft: { light: "#fdf3e0", dark: "#33250d" },
  mute: { light: "#545c6b", dark: "#a9b1c1" },
  muteSoft: { light: "#eef0f4", dark: "#232835" },
} as const;

type Colour = keyof typeof COLOURS;

const FONT = `-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Helvetica Neue','Noto Sans',Arial,sans-serif`;

/** Styled parts of an email: `css` for both themes, and the names of their colours. */
const LOOKS = {
  page: { css: "margin:0;padding:0", ground: "page" },
  lead: { css: `font:400 13px/20px ${FONT}`, colour: "text2" },
  card: { css: "border:1px solid;border-radius:10px;padding:28px", ground: "raised", edge: "line" },
  back: { css: "border-radius:8px;padding:16px", ground: "warnSoft" },
  backTitle: { css: `font:600 14px/20px ${FONT}`, colour: "warn" },
  backText: { css: `font:400 15px/24px ${FONT}`, colour: "text" },
  soon: { css: `border-radius:999px;padding:2px 10px;font:600 13px/20px ${FONT}`, ground: "warnSoft", colour: "warn" },
  due: { css: `border-radius:999px;padding:2px 10px;font:500 13px/20px ${FONT}`, ground: "muteSoft", colour: "mute" },
  heading: { css: `margin:0;font:600 20px/28px ${FONT};letter-spacing:-0.01em`, colour: "text" },
  details: { css: `font:400 15px/24px ${FONT}`, colour: "text" },
  title: {
    css: `border-top:1px solid;padding:10px 16px 10px 0;font:400 14px/20px ${FONT}`,
    colour: "text2",
    edge: "line",
  },
  value: {
    css: `border-top:1px solid;padding:10px 0;font:500 14px/20px ${FONT};font-variant-numeric:tabular-nums`,
    colour: "text",
    edge: "line",
  },
  more: { css: `border-top:1px solid;padding:10px 0 0;font:400 13px/20px ${FONT}`, colour: "text2", edge: "line" },
  note: { css: `font:400 13px/20px ${FONT}`, colour: "text2" },
  question: { css: `font:600 15px/24px ${FONT}`, colour: "text" },
  option: { css: "border:1px solid;border-radius:8px;mso-padding-alt:12px 16px", ground: "raised", edge: "edge" },
  optionLink: {
    css: `display:block;padding:12px 16px;font:600 15px/20px ${FONT};text-align:center;text-decoration:none`,
    colour: "text",
  },
  main: { css: "border-radius:8px;mso-padding-alt:12px 24px", ground: "accent" },
  mainLink: {
    css: `display:block;padding:12px 24px;font:600 15px/20px ${FONT};text-align:center;text-decoration:none`,
    colour: "onAccent",
  },
  link: { css: `font:400 13px/20px ${FONT};text-decoration:underline`, colour: "accent" },
  footer: { css: `font:400 12px/18px ${FONT}`, colour: "text2" },
  footerLink: { css: `font:400 12px/18px ${FONT};text-decoration:underline`, colour: "accent" },
} as const satisfies Record<string, { css: string; ground?: Colour; colour?: Colour; edge?: Colour }>;

export type Look = keyof typeof LOOKS;

const WORDS = "overflow-wrap:anywhere;word-break:break-word;text-align:left;text-align:start";

/** The attributes that give an element a look. @param more - further declarations */
export function look(name: Look, more = ""): string {
  const { css, ...colours } = LOOKS[name] as { css: string; ground?: Colour; colour?: Colour; edge?: Colour };
  const style = [
    WORDS,
    // Includes its colour, because not every email client merges separate rules.
    css.replace("solid", `solid ${COLOURS[colours.edge ?? "line"].light}`),
    ...(colours.ground ? [`background-color:${COLOURS[colours.ground].light}`] : []),
    ...(colours.colour ? [`color:${COLOURS[colours.colour].light}`] : []),
    ...(more === "" ? [] : [more]),
  ].join(";");
  return `class="${name}" style="${style}"`;
}

function darkRules(): string {
  return Object.entries<{ ground?: Colour; colour?: Colour; edge?: Colour }>(LOOKS)
    .map(([name, { ground, colour, edge }]) => {
      const rules = [
        ...(edge ? [`border-color:${COLOURS[edge].dark}!important`] : []),
        ...(ground ? [`background-color:${COLOURS[ground].dark}!important`] : []),
        ...(colour ? [`color:${COLOURS[colour].dark}!important`] : []),
      ];
      return `.${name}{${rules.join(";")}}`;
    })
    .join("\n");
}

/** One below the other, all as high as the tallest; without a grid each is as high as it needs. */
const STACK = "display:block!important;display:grid!important;grid-auto-rows:1fr;width:100%!important";
const BLOCK = "display:block!important;width:100%!important";
const STACKED = "display:block!important;display:grid!important;margin:0 0 8px!important";

/** A separate block, because email clients drop a whole block if they do not understand a part of it. */
export const STYLE_SHEETS = [
  `.rows tbody{${STACK}}
.rows tr{${STACK}}
.rows .option{${STACKED}}
.rows .gap{display:none!important}
.optionLink{align-content:center}
@media (max-width:519px){
.around{padding:16px 8px!important}
.lead,.foot{padding-left:12px!important;padding-right:12px!important}
.card{padding:20px 16px!important}
.columns,.columns tbody,.wide,.wide tbody,.wide tr,.wide .main{${BLOCK}}
.columns tr{${STACK}}
.columns .option{${STACKED}}
.columns .gap{display:none!important}
}`,
  `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
${darkRules()}
}`,
];
