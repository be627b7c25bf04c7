import type { Impersonation } from "../kubeconfig/kubeconfig.ts";

/** Returns the impersonation headers. Every group is a separate header. */
export function impersonationHeaders(impersonate: Impersonation | undefined): Record<string, string | string[]> {
  if (impersonate?.user === undefined) return {};
  const extra = [...impersonate.extra].map(([key, values]) => [`impersonate-extra-${headerKey(key)}`, [...values]]);
  return {
    "impersonate-user": impersonate.user,
    ...(impersonate.uid === undefined ? {} : { "impersonate-uid": impersonate.uid }),
    ...(impersonate.groups.length === 0 ? {} : { "impersonate-group": [...impersonate.groups] }),
    ...Object.fromEntries(extra),
  };
}

/** Percent-encodes a key for use in a header name. Parentheses are encoded too, since they are not allowed there. */
function headerKey(key: string): string {
  return encodeURIComponent(key.toLowerCase()).replace(/[()]/g, (bracket) => (bracket === "(" ? "%28" : "%29"));
}
