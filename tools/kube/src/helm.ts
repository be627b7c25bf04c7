import { join } from "node:path";
import { fileOf, missingBinaries } from "./binaries.ts";
import { build, type BuildOptions } from "./build.ts";
import { findGoProblem } from "./go.ts";
import { type Environment, binariesFolder } from "./paths.ts";

/** The path of a helm of the release that charts are tested with. Builds it where it is not there yet (minutes, once). */
export async function helmPath(options: BuildOptions): Promise<string> {
  return join(await build(["helm"], options), fileOf("helm"));
}

/** Why there can be no helm here, in one sentence, or undefined when there can. */
export async function whyNoHelm(env: Environment = process.env): Promise<string | undefined> {
  return missingBinaries(binariesFolder(env), ["helm"]).length === 0 ? undefined : findGoProblem(env);
}
