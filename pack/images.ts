import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/*
 * A tag such as `node:24-slim` is another image tomorrow; a digest never is. `pin` asks Docker for the digests of today, and
 * writes them behind the tags. `check` refuses images without one: npm runs it before `npm publish`.
 */

const FILES = ["Dockerfile", "compose.yaml"];
/** The image that these files build. */
const OWN = "human-task-service";
/** Where a file names an image: `FROM` of a Dockerfile, and `image:` of a service. */
const NAMED = /^(FROM |\s+image: )([^\s@]+)(@sha256:[0-9a-f]{64})?(?=\s|$)/gm;

/** Returns the base images without a digest, with the file that names them. */
export function unpinned(root: string): string[] {
  return FILES.flatMap((file) =>
    imagesIn(readFileSync(join(root, file), "utf8"))
      .filter(({ digest }) => digest === undefined)
      .map(({ image }) => `${file}: ${image}`),
  );
}

/** Writes the digest that `digestOf` returns behind each base image, in place of an older one. */
export function pin(root: string, digestOf: (image: string) => string): void {
  const digests = new Map<string, string>();
  for (const file of FILES) {
    const path = join(root, file);
    const text = readFileSync(path, "utf8");
    const stages = stagesIn(text);
    for (const { image } of imagesIn(text)) if (!digests.has(image)) digests.set(image, digestOf(image));
    writeFileSync(
      path,
      text.replaceAll(NAMED, (whole, before: string, image: string) =>
        isOurs(image, stages) ? whole : `${before}${image}@${digests.get(image)!}`,
      ),
    );
  }
}

function imagesIn(text: string): { image: string; digest: string | undefined }[] {
  const stages = stagesIn(text);
  return Array.from(text.matchAll(NAMED), ([, , image, digest]) => ({ image: image!, digest })).filter(
    ({ image }) => !isOurs(image, stages),
  );
}

/** A stage may begin with an earlier one. */
function stagesIn(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(/^FROM \S+ AS (\S+)/gim), ([, name]) => name!));
}

function isOurs(image: string, stages: ReadonlySet<string>): boolean {
  return image === OWN || stages.has(image);
}

/** Of the list of images for all platforms. @throws Error if Docker does not know it */
function askDocker(image: string): string {
  const args = ["buildx", "imagetools", "inspect", image, "--format", "{{.Manifest.Digest}}"];
  const digest = execFileSync("docker", args, { encoding: "utf8" }).trim();
  if (!/^sha256:[0-9a-f]{64}$/.test(digest))
    throw new Error(`Docker says "${digest}" for ${image}, which is no digest.`);
  return digest;
}

function main(root: string, command: string | undefined): void {
  if (command === "pin") return pin(root, askDocker);
  if (command !== "check") throw new Error("Usage: node pack/images.ts check | pin");
  const found = unpinned(root);
  if (found.length === 0) return;
  process.stderr.write(
    `These images have no digest, so what a release is built on may change:\n${found.map((one) => `  ${one}\n`).join("")}Run \`npm run images:pin\`, try the image (CONTRIBUTING.md), and commit.\n`,
  );
  process.exitCode = 1;
}

if (import.meta.main) main(join(import.meta.dirname, ".."), process.argv[2]);
