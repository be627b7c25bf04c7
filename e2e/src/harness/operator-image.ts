// The image of an operator, as operators/Dockerfile builds it, from the Node.js of this machine.

import { cpSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { programImage } from "@homeostat/operator-testing/image";
import { repository } from "@homeostat/operator-testing/repository";
import { copyProgram, importImage } from "./local-image.ts";

/** The image of an operator and the bundle it runs. */
export interface OperatorImage {
  readonly operator: string;
  readonly name: string;
  readonly repository: string;
  readonly tag: string;
  readonly program: string;
}

/** Returns the image of an operator, given its folder in `operators/`. */
export function operatorImage(operator: string): OperatorImage {
  const name = `docker.io/local/operators-${operator}`;
  const tag = "e2e";
  const program = fileURLToPath(new URL(`operators/${operator}/dist/program.js`, repository));
  return { operator, name: `${name}:${tag}`, repository: name, tag, program };
}

/** Builds the image and imports it into the node of a cluster started here. */
export function importOperatorImage(kubeconfigPath: string, { operator, name }: OperatorImage): void {
  importProgramImage(kubeconfigPath, `operators/${operator}`, name);
}

/** Builds the image of a program, given its folder, and imports it under a name. */
export function importProgramImage(kubeconfigPath: string, program: string, name: string): void {
  const { files, entrypoint, user, env } = programImage(program);
  importImage(kubeconfigPath, { name, entrypoint, user, env }, (folder) => {
    for (const [to, from] of files) {
      const source = fileURLToPath(new URL(from, repository));
      if (!existsSync(source)) throw new Error(`${source} does not exist; run \`npm run build\``);
      mkdirSync(dirname(join(folder, to)), { recursive: true });
      cpSync(source, join(folder, to), { recursive: true });
    }
    copyProgram(process.execPath, folder, "node");
  });
}
