/** Whether a script is at work, or a server draws the page. Known when a page is built, so that it brings only what it needs. */
export const LIVE: boolean = !import.meta.env.SSR;
