import { denialMessage, type Finding } from "homeostat";

/** The names of the rules. */
export type Rule =
  | "CommandTooLong"
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

/** A violated rule. The test cannot run. */
export interface TestProblem {
  readonly rule: Rule;
  /** The field: `spec.volumes[0].name`. */
  readonly path: string;
  readonly message: string;
}

/** A setting that the user may not have intended. The test can run. */
export interface TestWarning {
  readonly path: string;
  readonly message: string;
}

/** Returns all problems in one text, the same as the webhook's response; empty when there are none. */
export function describeProblems(problems: readonly TestProblem[]): string {
  return denialMessage(problems.map(asFinding));
}

/** Returns a problem as a finding of the webhook. A message that starts with its field does not repeat it. */
export function asFinding({ path, message }: TestProblem): Finding {
  return message.startsWith(path) ? { message } : { field: path, message };
}
