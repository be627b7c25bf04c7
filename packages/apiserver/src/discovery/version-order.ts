const form = /^v([1-9][0-9]{0,8})(?:(alpha|beta)([1-9][0-9]{0,8}))?$/;

/**
 * Compares version names for sorting, in Kubernetes' order of preference: `v10`, `v2`, `v1`, `v2beta1`, `v1alpha3`, then all others by
 * name.
 *
 * Negative when `a` comes first.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [rank(a), rank(b)];
  if (left === undefined || right === undefined) {
    if (left !== undefined) return -1;
    if (right !== undefined) return 1;
    return a < b ? -1 : Number(a > b);
  }
  return right.stage - left.stage || right.major - left.major || right.minor - left.minor;
}

function rank(version: string): { stage: number; major: number; minor: number } | undefined {
  const match = form.exec(version);
  if (match === null) return undefined;
  const stage = match[2] === undefined ? 2 : match[2] === "beta" ? 1 : 0;
  return { stage, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}
