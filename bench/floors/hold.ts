/** The least that a program does to hold requests open. It shows how much memory the platform needs for each. */
import { createServer, type ServerResponse } from "node:http";
import { listenAndReport } from "./listen.ts";

const held: ServerResponse[] = [];
listenAndReport(createServer((_request, response) => void held.push(response)));
