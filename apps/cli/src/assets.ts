import { fileURLToPath } from "node:url";

/** Returns the directory with the binaries that test harnesses look for, to be used as `KUBEBUILDER_ASSETS`. */
export function assetsDirectory(): string {
  return fileURLToPath(new URL("../assets", import.meta.url));
}
