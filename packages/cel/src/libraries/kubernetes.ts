import type { Library } from "../library.ts";
import { optionalLibrary } from "../standard/optionals.ts";
import { twoVariableLibrary } from "../standard/two-variable.ts";
import { cidrLibrary } from "./cidrs.ts";
import { formatLibrary } from "./formats.ts";
import { ipLibrary } from "./ips.ts";
import { listExtensionLibrary } from "./list-extension.ts";
import { listLibrary } from "./lists.ts";
import { quantityLibrary } from "./quantities.ts";
import { regexLibrary } from "./regexes.ts";
import { semverLibrary } from "./semvers.ts";
import { setLibrary } from "./sets.ts";
import { stringLibrary } from "./strings.ts";
import { urlLibrary } from "./urls.ts";

/** A library and the minor version of Kubernetes 1 from which rules of custom resources can use it. */
export interface EnabledLibrary {
  readonly library: Library;
  /** The minor version. The API server sets 0 for what was there when rules came. */
  readonly sinceMinor: number;
}

/**
 * The libraries of the rules of custom resources in Kubernetes 1.36, and since when each is there.
 *
 * Not in the table, because they are no functions: since 1.28 numbers of different types compare (`1 < 2.5`), and since
 * 1.29 literals of durations, timestamps and regular expressions are checked when a rule is compiled. Up to 1.28 the
 * extension of strings was there in its version 0, without `format`, `strings.quote` and the check of `join`.
 * `authorizer` and `jsonpatch` belong to admission policies. Not enabled: the extensions for math, encoders, regular
 * expressions (`regex.replace`), bindings (`cel.bind`) and protocol buffers.
 */
export const enabledLibraries: readonly EnabledLibrary[] = [
  { library: urlLibrary, sinceMinor: 0 },
  { library: regexLibrary, sinceMinor: 0 },
  { library: listLibrary, sinceMinor: 0 },
  { library: optionalLibrary, sinceMinor: 28 },
  { library: quantityLibrary, sinceMinor: 28 },
  { library: stringLibrary, sinceMinor: 29 },
  { library: setLibrary, sinceMinor: 29 },
  { library: ipLibrary, sinceMinor: 30 },
  { library: cidrLibrary, sinceMinor: 30 },
  { library: formatLibrary, sinceMinor: 31 },
  { library: twoVariableLibrary, sinceMinor: 32 },
  { library: semverLibrary, sinceMinor: 33 },
  { library: listExtensionLibrary, sinceMinor: 34 },
];

/** All libraries that Kubernetes 1.36 gives to the rules of custom resources. */
export const kubernetesLibraries: readonly Library[] = enabledLibraries.map(({ library }) => library);
