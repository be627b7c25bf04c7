import { readRepositoryFile } from "../repository.ts";

/** The image of an operator, as the last stage of a Dockerfile describes it. */
export interface OperatorImage {
  /** Files of the image by their paths in it: `/app/operator.js` from `operators/locust/dist/program.js`. */
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
  return parseImage(readRepositoryFile("operators/Dockerfile").replaceAll("${PROGRAM}", folder));
}

/** Parses the last stage of a Dockerfile. Throws for an instruction that it does not know: the image would differ. */
export function parseImage(dockerfile: string): OperatorImage {
  const files = new Map<string, string>();
  const env: Record<string, string> = {};
  let user = "";
  let entrypoint: readonly string[] = [];
  const lines = dockerfile.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const lastStage = lines.findLastIndex((line) => line.startsWith("FROM "));
  for (const line of lines.slice(lastStage + 1)) {
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
