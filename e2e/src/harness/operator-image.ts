// The image of an operator: what its Dockerfile puts together, from this machine's Node.

import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { copyProgram, importImage } from "./image-folder.ts";

/** An operator in one file, and the name of its image. */
export interface OperatorImage {
  readonly name: string;
  readonly repository: string;
  readonly tag: string;
  readonly program: string;
}

/** The image of an operator, by its folder: `operators/locust`. */
export function operatorImage(folder: string): OperatorImage {
  const repository = `docker.io/local/${folder.replaceAll("/", "-")}`;
  const tag = "e2e";
  const program = fileURLToPath(new URL(`../../../${folder}/dist/program.js`, import.meta.url));
  return { name: `${repository}:${tag}`, repository, tag, program };
}

/** Puts the image into the node of a cluster that was started here. */
export function importOperatorImage(kubeconfigPath: string, { name, program }: OperatorImage): void {
  if (!existsSync(program)) throw new Error(`${program} is not there; npm run build makes it`);
  const entrypoint = ["/usr/bin/node", "/app/operator.js"];
  importImage(kubeconfigPath, { name, entrypoint, user: "65532:65532" }, (folder) => {
    mkdirSync(join(folder, "app"));
    copyFileSync(program, join(folder, "app/operator.js"));
    copyProgram(process.execPath, folder, "node");
  });
}
