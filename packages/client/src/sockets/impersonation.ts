import type { Impersonation } from "../kubeconfig/kubeconfig.ts";

/** The headers that ask the server to act as somebody else. Every group is a header of its own. */
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

/** A key as part of a header's name, with a percent sign and two digits for what cannot stand there. */
function headerKey(key: string): string {
  return encodeURIComponent(key.toLowerCase()).replace(/[()]/g, (bracket) => (bracket === "(" ? "%28" : "%29"));
}
