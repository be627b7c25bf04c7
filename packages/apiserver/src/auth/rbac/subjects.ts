import { quote } from "@homeostat/cel";
import { serviceAccountUserName, type User } from "../user.ts";
import type { AnyBinding, SubjectObject } from "./objects.ts";

/**
 * The word under which a subject's bindings are found: `u` and a user name, or `g` and a group.
 *
 * A service account without a namespace means one beside its binding; in a binding of the whole cluster it means nobody.
 */
export function subjectWord(subject: SubjectObject, bindingNamespace: string): string | undefined {
  switch (subject.kind) {
    case "User":
      return userWord(subject.name);
    case "Group":
      return groupWord(subject.name);
    case "ServiceAccount": {
      const namespace =
        subject.namespace === undefined || subject.namespace === "" ? bindingNamespace : subject.namespace;
      return namespace === "" ? undefined : userWord(serviceAccountUserName(namespace, subject.name));
    }
    default:
      return undefined;
  }
}

/** The word of a user. */
export function userWord(name: string): string {
  return `u${name}`;
}

/** The word of a group. */
export function groupWord(name: string): string {
  return `g${name}`;
}

/** The first subject of a binding that a user is. */
export function firstSubject(binding: AnyBinding, user: User): SubjectObject | undefined {
  const namespace = binding.metadata.namespace ?? "";
  return binding.subjects?.find((subject) => {
    const word = subjectWord(subject, namespace);
    if (word === undefined) return false;
    return word === userWord(user.name) || (subject.kind === "Group" && user.groups.includes(subject.name));
  });
}

/** Why a binding applies, as reasons say it: `RoleBinding "b/ns" of Role "r" to User "u"`. */
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
