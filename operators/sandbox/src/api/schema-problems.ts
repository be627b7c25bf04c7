import type { Problem } from "@homeostat/schema";

/**
 * Reports whether a problem only says that CEL rules did not run because of other problems. The API server adds it to its responses, but users cannot
 * do anything about it.
 */
export function isAboutSkippedRules({ path, detail }: Problem): boolean {
  return path === "" && detail.startsWith("some validation rules were not checked");
}
