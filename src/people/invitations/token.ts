import { tokenKind } from "../../lib/tokens.ts";

/** Of the links by which people set their own password. */
export const INVITATION_TOKEN = tokenKind("hts_invite_");
