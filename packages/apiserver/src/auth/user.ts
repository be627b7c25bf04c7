import { dnsLabelProblems, dnsSubdomainProblems } from "@homeostat/core";

/** Additional attributes of a user by key. Only read own properties, since keys come from clients. */
export type UserExtra = Readonly<Record<string, readonly string[]>>;

/** The user of a request, as authorization sees it. */
export interface User {
  readonly name: string;
  /** Empty if unknown. */
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: UserExtra;
}

/** The names of built-in users and groups. */
export const wellKnown = {
  anonymous: "system:anonymous",
  authenticated: "system:authenticated",
  unauthenticated: "system:unauthenticated",
  masters: "system:masters",
  nodes: "system:nodes",
  serviceAccounts: "system:serviceaccounts",
} as const;

/** Keys of {@link UserExtra} that the server sets. */
export const extraKeys = {
  credentialId: "authentication.kubernetes.io/credential-id",
  podName: "authentication.kubernetes.io/pod-name",
  podUid: "authentication.kubernetes.io/pod-uid",
  nodeName: "authentication.kubernetes.io/node-name",
  nodeUid: "authentication.kubernetes.io/node-uid",
} as const;

const serviceAccountPrefix = "system:serviceaccount:";
const nodePrefix = "system:node:";

/** The user of requests without credentials. */
export const anonymousUser: User = {
  name: wellKnown.anonymous,
  uid: "",
  groups: [wellKnown.unauthenticated],
  extra: {},
};

/**
 * Adds the group of authenticated users, unless the user is anonymous or already has the authenticated or
 * unauthenticated group.
 */
export function withAuthenticatedGroup(user: User): User {
  if (user.name === wellKnown.anonymous) return user;
  const hasGroup = user.groups.some(
    (group) => group === wellKnown.authenticated || group === wellKnown.unauthenticated,
  );
  return hasGroup ? user : { ...user, groups: [...user.groups, wellKnown.authenticated] };
}

/** Reports whether a user is a member of a group. */
export function isInGroup(user: User, group: string): boolean {
  return user.groups.includes(group);
}

/** Returns the user name of a service account: `system:serviceaccount:NAMESPACE:NAME`. */
export function serviceAccountUserName(namespace: string, name: string): string {
  return `${serviceAccountPrefix}${namespace}:${name}`;
}

/** Returns the groups that every service account of a namespace is in. */
export function serviceAccountGroups(namespace: string): string[] {
  return [wellKnown.serviceAccounts, `${wellKnown.serviceAccounts}:${namespace}`];
}

/** Parses the user name of a service account; undefined for other users. */
export function splitServiceAccountUserName(user: string): { namespace: string; name: string } | undefined {
  if (!user.startsWith(serviceAccountPrefix)) return undefined;
  const [namespace = "", name = "", ...rest] = user.slice(serviceAccountPrefix.length).split(":", 3);
  if (rest.length > 0 || dnsLabelProblems(namespace).length > 0 || dnsSubdomainProblems(name).length > 0)
    return undefined;
  return { namespace, name };
}

/** Parses the user name of a node (`system:node:NAME`); undefined for other users. */
export function nodeOfUserName(user: string): string | undefined {
  if (!user.startsWith(nodePrefix)) return undefined;
  const name = user.slice(nodePrefix.length);
  return dnsSubdomainProblems(name).length > 0 ? undefined : name;
}
