import { join, resolve } from "node:path";
import { missingBinaries } from "./binaries.ts";
import { build } from "./build.ts";
import { type Environment, binariesFolder } from "../cache/paths.ts";

/** Options of {@link kubectl}. */
export interface KubectlOptions {
  readonly env?: Environment;
  readonly signal?: AbortSignal;
  /** Called with slow steps. */
  readonly report?: (line: string) => void;
}

/** Returns the path of a kubectl of the same release as the clusters: from `KUBEBUILDER_ASSETS`, or built once. */
export async function kubectl({
  env = process.env,
  signal,
  report = () => undefined,
}: KubectlOptions = {}): Promise<string> {
  const folders = [env["KUBEBUILDER_ASSETS"] ?? "", binariesFolder(env)].filter((folder) => folder !== "");
  for (const folder of folders.map((name) => resolve(name))) {
    if (missingBinaries(folder, ["kubectl"]).length === 0) return join(folder, "kubectl");
  }
  return join(await build(["kubectl"], { env, report, signal }), "kubectl");
}
