/** The least that an HTTP service does: it reads JSON and answers with it. */
import { createServer } from "node:http";
import { listenAndReport } from "./listen.ts";

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const text = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    response.end(text);
  });
});
listenAndReport(server);
