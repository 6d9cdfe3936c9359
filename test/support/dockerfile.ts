import { DockerfileParser, Copy, Env, From, type Instruction } from "dockerfile-ast";

/*
 * Reads a Dockerfile for tests. The parser is that of editors. This file adds what the parser lacks: the instructions
 * of each stage, and their combined effect in the last stage.
 */

export interface Stage {
  /** The base image with its tag. */
  from: string;
  /** The name by which other stages copy from it. The last stage, which is the image, needs none. */
  name: string | null;
  instructions: Instruction[];
}

export function stagesOf(text: string): Stage[] {
  const stages: Stage[] = [];
  for (const instruction of DockerfileParser.parse(text).getInstructions())
    if (instruction instanceof From)
      stages.push({ from: instruction.getImage() ?? "", name: instruction.getBuildStage(), instructions: [] });
    else stages.at(-1)!.instructions.push(instruction);
  return stages;
}

export function textsOf({ instructions }: Stage, keyword: string): string[] {
  return instructions.filter((one) => one.getKeyword() === keyword).map((one) => one.getArgumentsContent() ?? "");
}

/** Returns the source and the destination of a copy. `from` is null if the source is the repository. */
export function copyOf(instruction: Instruction): { from: string | null; sources: string[]; to: string } | null {
  if (!(instruction instanceof Copy)) return null;
  const flag = instruction.getFlags().find((one) => one.getName() === "from");
  const paths = instruction.getArguments().map((one) => one.getValue());
  return { from: flag?.getValue() ?? null, sources: paths.slice(0, -1), to: paths.at(-1)! };
}

/** The process settings of a stage. */
export interface Image {
  workdir: string;
  env: Record<string, string>;
  volumes: string[];
  ports: string[];
  uid: number;
  gid: number;
  entrypoint: string[];
  command: string[];
  healthcheck: string[];
}

/**
 * @throws Error if a setting does not occur exactly once, or a command is not a list of words, which would need a shell
 */
export function imageOf(stage: Stage): Image {
  const only = (keyword: string) => {
    const [text, ...more] = textsOf(stage, keyword);
    if (text === undefined || more.length > 0) throw new Error(`The image needs one ${keyword}.`);
    return text;
  };
  const words = (keyword: string) => {
    const text = only(keyword).replace(/^CMD\s+/, "");
    if (!text.startsWith("[")) throw new Error(`The image's ${keyword} must be a list of words: ["...", "..."].`);
    return JSON.parse(text) as string[];
  };
  const [uid, gid] = only("USER").split(":").map(Number);
  const env = stage.instructions.filter((one) => one instanceof Env).flatMap((one) => one.getProperties());
  return {
    workdir: only("WORKDIR"),
    env: Object.fromEntries(env.map((one) => [one.getName(), one.getUnescapedValue() ?? ""])),
    volumes: textsOf(stage, "VOLUME"),
    ports: textsOf(stage, "EXPOSE"),
    uid: uid ?? NaN,
    gid: gid ?? NaN,
    entrypoint: words("ENTRYPOINT"),
    command: words("CMD"),
    healthcheck: words("HEALTHCHECK"),
  };
}
