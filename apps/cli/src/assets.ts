import { fileURLToPath } from "node:url";

/** The folder of the programs that test harnesses look for, for `KUBEBUILDER_ASSETS`. */
export function assetsFolder(): string {
  return fileURLToPath(new URL("../assets", import.meta.url));
}
