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
  /** The minor version. 0 for libraries that exist since CEL rules were introduced, as in the API server. */
  readonly sinceMinor: number;
}

/**
 * The libraries for rules of custom resources in Kubernetes 1.36, with the version that introduced each.
 *
 * Not in the table, because they are not libraries: since 1.28 numbers of different types can be compared (`1 < 2.5`), and since
 * 1.29 literals of durations, timestamps and regular expressions are checked at compile time. Up to 1.28 the strings extension had
 * version 0, without `format`, `strings.quote` and the check of `join`.
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

/** All libraries that Kubernetes 1.36 enables for rules of custom resources. */
export const kubernetesLibraries: readonly Library[] = enabledLibraries.map(({ library }) => library);
