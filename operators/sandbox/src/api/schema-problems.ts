import type { Problem } from "@homeostat/schema";

/**
 * Reports whether a problem only says that CEL rules did not run because of other problems. The API server adds it to its answers; to
 * users it is one more problem that they cannot fix.
 */
export function isAboutSkippedRules({ path, detail }: Problem): boolean {
  return path === "" && detail.startsWith("some validation rules were not checked");
}
