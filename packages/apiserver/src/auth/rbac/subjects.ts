import { quote } from "@homeostat/cel";
import { serviceAccountUserName, type User } from "../user.ts";
import type { AnyBinding, SubjectObject } from "./objects.ts";

/**
 * Returns the index key of a subject: `u` and a user name, or `g` and a group.
 *
 * A service account without a namespace is in the namespace of the binding. In a ClusterRoleBinding it matches no user,
 * and the result is undefined.
 */
export function subjectKey(subject: SubjectObject, bindingNamespace: string): string | undefined {
  switch (subject.kind) {
    case "User":
      return userKey(subject.name);
    case "Group":
      return groupKey(subject.name);
    case "ServiceAccount": {
      const namespace =
        subject.namespace === undefined || subject.namespace === "" ? bindingNamespace : subject.namespace;
      return namespace === "" ? undefined : userKey(serviceAccountUserName(namespace, subject.name));
    }
    default:
      return undefined;
  }
}

/** Returns the index key of a user. */
export function userKey(name: string): string {
  return `u${name}`;
}

/** Returns the index key of a group. */
export function groupKey(name: string): string {
  return `g${name}`;
}

/** Returns the first subject of a binding that matches a user. */
export function firstSubject(binding: AnyBinding, user: User): SubjectObject | undefined {
  const namespace = binding.metadata.namespace ?? "";
  return binding.subjects?.find((subject) => {
    const key = subjectKey(subject, namespace);
    if (key === undefined) return false;
    return key === userKey(user.name) || (subject.kind === "Group" && user.groups.includes(subject.name));
  });
}

/** Formats a binding for the reason of a decision: `RoleBinding "b/ns" of Role "r" to User "u"`. */
export function describeBinding(binding: AnyBinding, subject: SubjectObject): string {
  const { name = "", namespace = "" } = binding.metadata;
  const which = binding.kind === "RoleBinding" ? `${name}/${namespace}` : name;
  const role = `${binding.roleRef.kind} ${quote(binding.roleRef.name)}`;
  return `${binding.kind} ${quote(which)} of ${role} to ${describeSubject(subject, namespace)}`;
}

function describeSubject({ kind, name, namespace = "" }: SubjectObject, bindingNamespace: string): string {
  if (kind !== "ServiceAccount") return `${kind} ${quote(name)}`;
  return `${kind} ${quote(`${name}/${namespace === "" ? bindingNamespace : namespace}`)}`;
}
