/**
 * Whether a script runs, or a server renders the page. It is known at build time, so that a page contains only the code
 * it needs.
 */
export const LIVE: boolean = !import.meta.env.SSR;
