import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { run } from "@homeostat/kube";

/** Version of Node in the image of the proxy; `.ci/run` tests with the same one. */
const version = "24.21.0";

/** Returns the path of Node 24, and installs it into the cache the first time. */
export async function newerNode(): Promise<string> {
  const { env, arch, execPath, versions } = process;
  if (versions.node === version) return execPath;
  const cache = env["HOMEOSTAT_CACHE"] ?? join(env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "homeostat");
  const folder = join(cache, `node-${version}`);
  const name = `node-linux-${arch === "arm64" ? "arm64" : "x64"}`;
  const path = join(folder, "node_modules", name, "bin", "node");
  if (!existsSync(path)) {
    const flags = ["--ignore-scripts", "--no-save", "--no-package-lock", "--prefix", folder];
    await run("npm", ["install", ...flags, `${name}@${version}`]);
  }
  return path;
}
