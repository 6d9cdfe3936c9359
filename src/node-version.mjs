// Plain JavaScript, so that a Node that cannot read the rest can still say what is missing.
// `npm start` preloads this before `main.ts` is looked at.
import module from "node:module";

/** Keep it the same as `engines` in package.json. */
export const NEEDED = [24, 19];

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  console.error(
    `This service needs Node ${NEEDED.join(".")} or newer; this is Node ${process.versions.node}. ` +
      "Install it from https://nodejs.org. In a clone, `npm ci` brings a fitting one on the usual platforms, and `npm start` uses it.",
  );
  process.exit(1);
}

// Before `main.ts` is read, because Node loads a compiler of 15 MB to read TypeScript that is not in the cache.
module.enableCompileCache();
