import { builtInRelease } from "@homeostat/apiserver";
import { releaseVersion } from "@homeostat/core";

/** Returns the output of `homeostat --version`: the CLI version and the emulated Kubernetes version. */
export function versionText(): string {
  return `homeostat ${releaseVersion} (Kubernetes ${builtInRelease})`;
}
