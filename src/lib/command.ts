/** What people type to run a command of the service: in a clone npm's script, which runs this source, else the package's name. */
export const SERVICE_COMMAND = import.meta.url.endsWith(".ts") ? "npm run service --" : "npx human-task-service";
