import { readFileSync } from "node:fs";
import { builtInRelease } from "@homeostat/apiserver";
import { isRecord } from "@homeostat/core";

/** What `homeostat --version` prints: its own version, and that of the Kubernetes that it behaves like. */
export function versionText(): string {
  const own: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return `homeostat ${isRecord(own) ? String(own["version"]) : "?"}, as Kubernetes ${builtInRelease}`;
}
