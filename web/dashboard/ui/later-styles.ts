const adopted = new Set<string>();

/**
 * Adds a style sheet to the page, once. It is part of the code that needs it, and loads with that code, because the style sheet
 * of the first load is limited. Import it with `?inline`.
 */
export function adoptStyles(css: string): void {
  if (adopted.has(css)) return;
  adopted.add(css);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets.push(sheet);
}
