import { useLayoutEffect } from "react";
import text from "./action.css?inline";

let sheet: CSSStyleSheet | undefined;

/**
 * Adds the styles of these pages before they are painted. They are loaded with their code, because few people need them at once.
 * The page's policy forbids style elements, but not a sheet that a script creates.
 */
export function useActionStyles(): void {
  useLayoutEffect(() => {
    if (sheet !== undefined) return;
    sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets.push(sheet);
  }, []);
}
