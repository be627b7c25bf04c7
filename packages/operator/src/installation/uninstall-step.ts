import type { AccessDefinition } from "@homeostat/runtime";

/**
 * A command that must run before an operator is uninstalled, because objects of users depend on the operator. The chart runs it as a
 * `pre-delete` hook: a Job with the operator's image and a ServiceAccount that has only these permissions. If it fails, helm does not
 * uninstall. With plain manifests, users run the command themselves.
 */
export interface UninstallStep {
  /** The arguments of the program. If the chart limits the watched namespaces, `--watch-namespaces` is added. */
  readonly args: readonly string[];
  /** The purpose in `values.yaml`, as a sentence. */
  readonly help: string;
  readonly access: readonly AccessDefinition[];
  /** The time after which the Job fails, in seconds. Default: 240, less than the 5 minutes that helm waits. */
  readonly deadlineSeconds?: number;
}
