/**
 * Node's `http`. An `import` of it would also load Node's `fetch` and `WebSocket`, which `node:http` exports, and which
 * the service does not use: 30 ms of the start.
 */
export const { Agent, STATUS_CODES, request } = process.getBuiltinModule("node:http");
