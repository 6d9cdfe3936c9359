import module from "node:module";

// First of all: the compiled form of everything that follows is kept between starts.
module.enableCompileCache();

const { startService } = await import("./start.ts");
const running = await startService(process.env);
console.log(running.address);
