// The image of the operator without a registry: what the Dockerfile puts together, from this machine's Node and libraries.

import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The name of the image. */
export const operatorImage = "docker.io/local/locust-k8s-operator:e2e";

const repository = new URL("../../../", import.meta.url);
const tool = fileURLToPath(new URL("tools/kube/dist/main.js", repository));
const program = fileURLToPath(new URL("operators/locust/dist/program.js", repository));

/** Puts the image into the node of a cluster that was started here. */
export function importOperatorImage(kubeconfigPath: string): void {
  if (!existsSync(program)) throw new Error(`${program} is not there; npm run build makes it`);
  const folder = mkdtempSync(join(tmpdir(), "homeostat-operator-"));
  try {
    mkdirSync(join(folder, "app"), { recursive: true });
    mkdirSync(join(folder, "tmp"));
    mkdirSync(join(folder, "usr/bin"), { recursive: true });
    cpSync(program, join(folder, "app/operator.js"));
    copyFileSync(process.execPath, join(folder, "usr/bin/node"));
    for (const library of librariesOf(process.execPath)) {
      const target = join(folder, library);
      mkdirSync(dirname(target), { recursive: true });
      copyFileSync(library, target);
    }
    const cluster = basename(dirname(kubeconfigPath));
    const entry = '["/usr/bin/node", "/app/operator.js"]';
    execFileSync(
      process.execPath,
      [tool, "image", "dir", operatorImage, folder, entry, "--user", "65532:65532", "--name", cluster],
      {
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function librariesOf(path: string): string[] {
  const text = execFileSync("ldd", [path], { encoding: "utf8" });
  return [...text.matchAll(/(\/\S+\.so\S*)/g)].map(([, library = ""]) => library);
}
