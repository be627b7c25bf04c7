import { readFileSync } from "node:fs";
import { isRecord } from "@homeostat/core";

/** Returns the version of this program. */
export function ownVersion(): string {
  // From the module and from the bundled file, the manifest is at the same place.
  const manifest: unknown = JSON.parse(readFileSync(new URL(manifestPath(import.meta.url), import.meta.url), "utf8"));
  return isRecord(manifest) && typeof manifest["version"] === "string" ? manifest["version"] : "unknown";
}

/** Returns the path of package.json from a module in dist/version, or from the bundled file in dist. */
function manifestPath(url: string): string {
  return url.endsWith("/version/own-version.js") ? "../../package.json" : "../package.json";
}
