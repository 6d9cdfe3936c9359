/**
 * Whether every schema that is read here was accepted by a service before, so that nothing about it need be checked again.
 * Pages that are shown nothing else are built with `true`, and are the smaller for it. (web/build.ts)
 */
export const IS_VETTED: boolean = false;
