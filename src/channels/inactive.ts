/** Why nothing is sent to somebody who was deactivated. */
export const INACTIVE = { error: "inactive", message: "This person was deactivated." } as const;
