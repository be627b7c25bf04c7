import { readFileSync } from "node:fs";
import { builtInRelease } from "@homeostat/apiserver";
import { isRecord } from "@homeostat/core";

/** Returns the version of the package. */
export function ownVersion(): string {
  const own: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return isRecord(own) ? String(own["version"]) : "?";
}

/** Returns the output of `homeostat --version`: the CLI version and the emulated Kubernetes version. */
export function versionText(): string {
  return `homeostat ${ownVersion()} (Kubernetes ${builtInRelease})`;
}
