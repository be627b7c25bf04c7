import { readRepositoryFile } from "../repository.ts";

/** The image of a program, as a stage of a Dockerfile describes it. */
export interface OperatorImage {
  /** Files and folders of the image by their paths in it: `/app/operator.js` from `operators/locust/dist/program.js`. */
  readonly files: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string>>;
  /** Numbers, as in `65532:65532`. */
  readonly user: string;
  readonly entrypoint: readonly string[];
}

/** The folder of the build stage that holds the repository. */
const buildFolder = "/build/";

/** Reads the image of an operator, by the name of its folder, from `operators/Dockerfile`. */
export function operatorImage(operator: string): OperatorImage {
  return programImage(`operators/${operator}`);
}

/** Reads the image of a program, by the path of its folder, from `operators/Dockerfile`: `apps/route-server`. */
export function programImage(folder: string): OperatorImage {
  return parseImage(readRepositoryFile("operators/Dockerfile").replaceAll("${PROGRAM}", folder), stageOf(folder));
}

/** Returns the stage of the Dockerfile for a program, as the comment at its head names it. */
function stageOf(folder: string): string {
  if (folder.startsWith("operators/")) return "operator";
  const own: Readonly<Record<string, string>> = { "apps/tunnel": "program", "apps/dashboard": "page" };
  return own[folder] ?? "compact";
}

/**
 * Parses a stage of a Dockerfile and the stages that it is based on, by default the last one. Throws for an instruction that it does not know: the
 * image would differ.
 */
export function parseImage(dockerfile: string, target?: string): OperatorImage {
  const lines = dockerfile.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const stages = stagesOf(lines);
  const stage = target === undefined ? stages.at(-1) : stages.find(({ name }) => name === target);
  if (stage === undefined) throw new Error(`The Dockerfile has no stage ${target ?? ""}`);
  return readStage(stage, stages);
}

interface Stage {
  readonly name: string | undefined;
  /** An image, or the name of another stage. */
  readonly base: string;
  readonly lines: string[];
}

function stagesOf(lines: readonly string[]): readonly Stage[] {
  const stages: Stage[] = [];
  for (const line of lines) {
    const [, base, name] = /^FROM (\S+)(?: AS (\S+))?$/.exec(line) ?? [];
    if (base === undefined) stages.at(-1)?.lines.push(line);
    else stages.push({ name, base, lines: [] });
  }
  return stages;
}

function readStage({ base, lines }: Stage, stages: readonly Stage[]): OperatorImage {
  const parent = stages.find(({ name }) => name === base);
  const inherited = parent === undefined ? undefined : readStage(parent, stages);
  const files = new Map(inherited?.files);
  const env: Record<string, string> = { ...inherited?.env };
  let { user = "", entrypoint = [] }: Partial<OperatorImage> = inherited ?? {};
  for (const line of lines) {
    const [, instruction = "", rest = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    switch (instruction) {
      case "ARG":
        break;
      case "COPY": {
        const [, from = "", to = ""] = /^--from=build (\S+) (\S+)$/.exec(rest) ?? [];
        if (!from.startsWith(buildFolder)) throw new Error(`Cannot copy this without Docker: ${line}`);
        files.set(to, from.slice(buildFolder.length));
        break;
      }
      case "ENV":
        for (const pair of rest.split(" ")) {
          const [name = "", ...value] = pair.split("=");
          env[name] = value.join("=");
        }
        break;
      case "USER":
        user = rest;
        break;
      case "ENTRYPOINT":
        entrypoint = wordsOf(rest);
        break;
      default:
        throw new Error(`Unknown instruction: ${line}`);
    }
  }
  return { files, env, user, entrypoint };
}

function wordsOf(text: string): readonly string[] {
  const words: unknown = JSON.parse(text);
  if (!Array.isArray(words)) throw new Error(`ENTRYPOINT must be a list: ${text}`);
  return words.map(String);
}
