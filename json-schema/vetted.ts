/**
 * Whether a service has already accepted every schema that is read here, so that no check is needed. Pages that show
 * only such schemas are built with `true`, and are smaller. (web/build.ts)
 */
export const IS_VETTED: boolean = false;
