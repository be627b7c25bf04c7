import type { IdentityHeaders } from "../access/cluster-access.ts";

const secret = "secret-of-the-proxy";

/** Headers of a proxy with single sign-on. */
export const testProxy: IdentityHeaders = {
  userHeader: "X-Remote-User",
  groupsHeader: "X-Remote-Group",
  secretHeader: "X-Proxy-Secret",
  secret: () => secret,
};

/** Returns the headers that the proxy adds to requests of a user. */
export function asUser(user: string, groups = ""): Readonly<Record<string, string>> {
  return { "x-remote-user": user, "x-remote-group": groups, "x-proxy-secret": secret };
}
