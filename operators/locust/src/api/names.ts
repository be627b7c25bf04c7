import type { Role } from "./identity.ts";

/**
 * The name of what is made for one half of a test: `team-a.load-test` has `team-a-load-test-master`.
 *
 * The one place where this name is made, for creating, for looking up and for checking. The Service and the Job of
 * the master share it.
 */
export function nodeName(test: string, role: Role): string {
  return `${sanitised(test)}-${role}`;
}

/** The name of the Service that shows the web interface. */
export function webUiName(test: string): string {
  return `${sanitised(test)}-webui`;
}

/** The name of the ConfigMap with the results of a run. */
export function resultsName(test: string, run: number): string {
  return run > 1 ? `${sanitised(test)}-results-${run}` : `${sanitised(test)}-results`;
}

/** A name without dots, which neither Services nor volumes may have. */
export function sanitised(name: string): string {
  return name.replaceAll(".", "-");
}
