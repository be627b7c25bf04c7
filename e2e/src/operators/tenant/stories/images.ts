// Images of a tenant on a node started here.

import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { copyProgram, importImage } from "../../../harness/local-image.ts";
import { repository } from "../../../harness/repository.ts";

/** Debian's Redis under the name of the official image. */
export const redisImage = "docker.io/library/redis:7";
/** Image of the server in `log-server.ts`. */
export const serverImage = "docker.io/local/log-server:1";

const tool = join(repository, "tools/kube/dist/main.js");
const program = fileURLToPath(new URL("log-server.js", import.meta.url));
const run = promisify(execFile);

/** Imports Redis and the server into the node. */
export async function importImages(kubeconfigPath: string): Promise<void> {
  const name = basename(dirname(kubeconfigPath));
  // Built once, in about two minutes, and cached on this machine.
  await run(process.execPath, [tool, "image", "base", "--install", "--name", name]);
  const entrypoint = ["/usr/bin/node", "/app/server.mjs"];
  importImage(kubeconfigPath, { name: serverImage, entrypoint, user: "1001:1001" }, (folder) => {
    mkdirSync(join(folder, "app/logs"), { recursive: true });
    copyFileSync(program, join(folder, "app/server.mjs"));
    copyProgram(process.execPath, folder, "node");
  });
}
