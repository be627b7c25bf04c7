import { join } from "node:path";
import { fileOf, missingBinaries } from "./binaries.ts";
import { build, type BuildOptions } from "./build.ts";
import { findGoProblem } from "./go.ts";
import { type Environment, binariesFolder } from "../cache/paths.ts";

/** Returns the path of the helm release that charts are tested with. Builds it if it is missing (minutes, once). */
export async function helmPath(options: BuildOptions): Promise<string> {
  return join(await build(["helm"], options), fileOf("helm"));
}

/** Returns the reason why helm is not available, or undefined. */
export async function whyNoHelm(env: Environment = process.env): Promise<string | undefined> {
  return missingBinaries(binariesFolder(env), ["helm"]).length === 0 ? undefined : findGoProblem(env);
}
