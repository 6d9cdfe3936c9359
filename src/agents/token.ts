import { tokenKind } from "../lib/tokens.ts";
import { AGENT_TOKEN_START } from "../people/agent-caller.ts";

export const AGENT_TOKEN = tokenKind(AGENT_TOKEN_START);
