import { type OperatorBenchOptions, optionLines, readOperatorArguments } from "../operators/arguments.ts";

const defaults = { what: "tests", count: 500 };

export const locustHelp = `Usage: npm run bench -- locust [options]   the Locust operator on etcd + kube-apiserver

  Makes many LocustTests at once; says how long until each has its objects and its status, and what that took. Then lets all
  of them end, and looks for a while at an operator that has nothing left to do. Fails when something is over its limit.

${optionLines(defaults)}`;

/** Reads the words after `locust`. Throws a `UsageError`. */
export function readLocustArguments(words: readonly string[]): OperatorBenchOptions {
  return readOperatorArguments(words, defaults);
}
