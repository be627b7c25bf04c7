import { dnsLabelProblems, dnsSubdomainProblems } from "@homeostat/core";

/** What else an authenticator knows of a user: lists of texts by key. Read it by own property only. */
export type UserExtra = Readonly<Record<string, readonly string[]>>;

/** Who makes a request, as authorization sees it. */
export interface User {
  readonly name: string;
  /** Empty when nobody said. */
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: UserExtra;
}

/** The names Kubernetes gives to users and groups of its own. */
export const wellKnown = {
  anonymous: "system:anonymous",
  authenticated: "system:authenticated",
  unauthenticated: "system:unauthenticated",
  masters: "system:masters",
  nodes: "system:nodes",
  serviceAccounts: "system:serviceaccounts",
} as const;

/** The keys of {@link UserExtra} that the server itself fills. */
export const extraKeys = {
  credentialId: "authentication.kubernetes.io/credential-id",
  podName: "authentication.kubernetes.io/pod-name",
  podUid: "authentication.kubernetes.io/pod-uid",
  nodeName: "authentication.kubernetes.io/node-name",
  nodeUid: "authentication.kubernetes.io/node-uid",
} as const;

const serviceAccountPrefix = "system:serviceaccount:";
const nodePrefix = "system:node:";

/** Whoever sent no credentials. */
export const anonymousUser: User = {
  name: wellKnown.anonymous,
  uid: "",
  groups: [wellKnown.unauthenticated],
  extra: {},
};

/** A user with the group of everybody who is known, unless it is anonymous or says already whether it is known. */
export function withAuthenticatedGroup(user: User): User {
  if (user.name === wellKnown.anonymous) return user;
  const isSaid = user.groups.some((group) => group === wellKnown.authenticated || group === wellKnown.unauthenticated);
  return isSaid ? user : { ...user, groups: [...user.groups, wellKnown.authenticated] };
}

/** Whether a user belongs to a group. */
export function isInGroup(user: User, group: string): boolean {
  return user.groups.includes(group);
}

/** The user name of a service account: `system:serviceaccount:NAMESPACE:NAME`. */
export function serviceAccountUserName(namespace: string, name: string): string {
  return `${serviceAccountPrefix}${namespace}:${name}`;
}

/** The groups every service account of a namespace is in. */
export function serviceAccountGroups(namespace: string): string[] {
  return [wellKnown.serviceAccounts, `${wellKnown.serviceAccounts}:${namespace}`];
}

/** The namespace and name in a service account's user name; undefined when it is another user's. */
export function splitServiceAccountUserName(user: string): { namespace: string; name: string } | undefined {
  if (!user.startsWith(serviceAccountPrefix)) return undefined;
  const [namespace = "", name = "", ...rest] = user.slice(serviceAccountPrefix.length).split(":", 3);
  if (rest.length > 0 || dnsLabelProblems(namespace).length > 0 || dnsSubdomainProblems(name).length > 0)
    return undefined;
  return { namespace, name };
}

/** The name of the node in its user name (`system:node:NAME`); undefined when it is another user's. */
export function nodeOfUserName(user: string): string | undefined {
  if (!user.startsWith(nodePrefix)) return undefined;
  const name = user.slice(nodePrefix.length);
  return dnsSubdomainProblems(name).length > 0 ? undefined : name;
}
