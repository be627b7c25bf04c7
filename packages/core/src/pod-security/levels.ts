/**
 * Levels of the Pod Security Standards, the weakest first.
 *
 * `privileged` allows everything, `baseline` forbids known privilege escalations, `restricted` also requires hardening.
 */
export const podSecurityLevels = ["privileged", "baseline", "restricted"] as const;

/** A level of the Pod Security Standards. */
export type PodSecurityLevel = (typeof podSecurityLevels)[number];

/**
 * The prefix of the namespace labels that select a level and its version: `pod-security.kubernetes.io/enforce` and
 * `pod-security.kubernetes.io/enforce-version`, likewise for `audit` and `warn`.
 */
export const podSecurityLabelPrefix = "pod-security.kubernetes.io/";

/** Compares two levels: positive if `a` is more restrictive. */
export function comparePodSecurityLevels(a: PodSecurityLevel, b: PodSecurityLevel): number {
  return podSecurityLevels.indexOf(a) - podSecurityLevels.indexOf(b);
}

/**
 * Parses the version of a level: `latest`, or `v1.x` for the checks as of that release of Kubernetes. Returns the minor
 * release, `"latest"`, or undefined if the text is neither.
 *
 * A pinned version keeps a namespace from refusing pods after an upgrade of the cluster, because later releases add checks.
 */
export function parsePodSecurityVersion(text: string): number | "latest" | undefined {
  if (text === "latest") return text;
  const [, minor] = /^v1\.(0|[1-9]\d{0,8})$/.exec(text) ?? [];
  return minor === undefined ? undefined : Number(minor);
}
