import { type OperatorBenchOptions, optionLines, readOperatorArguments } from "../operators/arguments.ts";

const defaults = { what: "tenants", count: 200 };

export const tenantHelp = `Usage: npm run bench -- tenant [options]   the Tenant operator on etcd + kube-apiserver

  Makes many Tenants at once; says how long until each has everything in its namespace, and what that took. Then says of all pods
  that they are ready, asks for another look at every tenant, and looks for a while at an operator that has nothing left to do.
  Fails when something is over its limit.

${optionLines(defaults)}`;

/** Reads the words after `tenant`. Throws a `UsageError`. */
export function readTenantArguments(words: readonly string[]): OperatorBenchOptions {
  return readOperatorArguments(words, defaults);
}
