/** How to run a command of the service: npm's script in a clone, which runs this source, or else the package's name. */
export const SERVICE_COMMAND = import.meta.url.endsWith(".ts") ? "npm run service --" : "npx human-task-service";
