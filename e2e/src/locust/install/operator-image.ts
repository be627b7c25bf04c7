// The image of the operator: what its Dockerfile puts together, from this machine's Node.

import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { copyProgram, importImage } from "../../harness/image-folder.ts";

/** The name of the image. */
export const operatorImage = "docker.io/local/locust-k8s-operator:e2e";

/** The operator in one file. */
export const operatorProgram: string = fileURLToPath(
  new URL("../../../../operators/locust/dist/program.js", import.meta.url),
);

/** Puts the image into the node of a cluster that was started here. */
export function importOperatorImage(kubeconfigPath: string): void {
  if (!existsSync(operatorProgram)) throw new Error(`${operatorProgram} is not there; npm run build makes it`);
  const entrypoint = ["/usr/bin/node", "/app/operator.js"];
  importImage(kubeconfigPath, { name: operatorImage, entrypoint, user: "65532:65532" }, (folder) => {
    mkdirSync(join(folder, "app"));
    copyFileSync(operatorProgram, join(folder, "app/operator.js"));
    copyProgram(process.execPath, folder, "node");
  });
}
