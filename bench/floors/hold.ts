/** The least that holds requests open: what the platform itself keeps for each. */
import { createServer, type ServerResponse } from "node:http";
import { listenAndReport } from "./listen.ts";

const held: ServerResponse[] = [];
listenAndReport(createServer((_request, response) => void held.push(response)));
