import { tokenKind } from "../../lib/tokens.ts";

/** How every personal token begins, so that one that leaked is recognized for what it is. */
export const PERSONAL_TOKEN_START = "hts_person_";

export const PERSONAL_TOKEN = tokenKind(PERSONAL_TOKEN_START);
