import { cutText } from "@homeostat/core";

/** The names of the rules. */
export type Rule =
  | "NameTooLong"
  | "NameNotAServiceName"
  | "NameNotALabelValue"
  | "FieldBlank"
  | "FlagNotAllowed"
  | "ReplicasOutOfRange"
  | "SecretMountOnReservedPath"
  | "MountPathUsedTwice"
  | "VolumePrefixReserved"
  | "VolumeNameReserved"
  | "VolumeNameGenerated"
  | "VolumeNameUsedTwice"
  | "VolumeMountOnReservedPath"
  | "VolumeUndefined"
  | "TelemetryWithoutEndpoint"
  | "ThresholdInvalid"
  | "WebBasePathInvalid"
  | "HostAccessNotAllowed"
  | "ServiceAccountTokenNotAllowed";

/** A broken rule. The test cannot run. */
export interface TestProblem {
  readonly rule: Rule;
  /** The field: `spec.volumes[0].name`. */
  readonly path: string;
  readonly message: string;
}

/** Something that the user may not have intended. The test can run. */
export interface TestWarning {
  readonly path: string;
  readonly message: string;
}

const quotedLengthMax = 256;

/** Quotes a user's text for a message, shortened and with control characters escaped. */
export function quoted(text: string): string {
  return JSON.stringify(cutText(text, quotedLengthMax));
}

// The limits of the webhook's response.
const problemsMax = 100;
const messageLengthMax = 1024;
const textLengthMax = 4096;

/** Returns all problems in one text, the same as the webhook's response; empty when there are none. */
export function describeProblems(problems: readonly TestProblem[]): string {
  const all = problems.slice(0, problemsMax).map((problem) => {
    const { field, message } = asFinding(problem);
    const shown = cutText(message, messageLengthMax);
    return field === undefined ? shown : `${field}: ${shown}`;
  });
  return cutText(all.join("; "), textLengthMax);
}

/** Returns a problem as a finding of the webhook. A message that starts with its field does not repeat it. */
export function asFinding({ path, message }: TestProblem): { readonly field?: string; readonly message: string } {
  return message.startsWith(path) ? { message } : { field: path, message };
}
