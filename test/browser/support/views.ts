import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { SIZES, type Rules } from "./browser.ts";

type Theme = "light" | "dark";
type Size = keyof typeof SIZES;

/** A page as a person may see it. */
export interface View {
  theme: Theme;
  size: Size;
  /** The rules of axe that are left to check: whatever does not depend on the theme is checked in the light one. */
  rules: Rules;
}

/** Shows the page in a theme. It has all of its colours when this resolves. */
async function showTheme(page: Page, theme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  // The dashboard notes the theme at its root, some time after the browser has changed. Colours may change in a transition.
  await page.waitForFunction(
    (wanted) => (document.documentElement.dataset["mantineColorScheme"] ?? wanted) === wanted,
    theme,
  );
  await page.evaluate(async () => {
    // What follows from a new size is drawn in one frame, and is there in the next.
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    const changing = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.allSettled(changing.map((one) => one.finished));
  });
}

/** Looks at the page that is open in each size and both themes, as subtests. Pages follow those of the system. */
export async function inEachView(
  t: TestContext,
  page: Page,
  name: string,
  sizes: readonly Size[],
  look: (view: View) => Promise<void>,
): Promise<void> {
  for (const theme of ["light", "dark"] as const)
    for (const size of sizes)
      await t.test(`${name}: ${theme}, ${size}`, async () => {
        await page.setViewportSize(SIZES[size]);
        await showTheme(page, theme);
        await look({ theme, size, rules: theme === "light" ? "all" : "colours" });
      });
}
