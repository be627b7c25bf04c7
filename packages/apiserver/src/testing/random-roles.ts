// Arbitrary roles, bindings and requests from few names, so that they overlap.

import fc from "fast-check";
import type { Attributes } from "../auth/attributes.ts";
import type { User } from "../auth/user.ts";
import type { AnyBinding, AnyRole } from "../auth/rbac/objects.ts";
import type { Rule } from "../auth/rbac/rule.ts";

const listOf = (...items: string[]): fc.Arbitrary<string[]> =>
  fc.array(fc.constantFrom(...items), { minLength: 1, maxLength: 3 });
const verbs = listOf("get", "list", "create", "*");
const roleName = fc.constantFrom("r0", "r1", "r2");
const namespace = fc.constantFrom("a", "b");

export const anyRule: fc.Arbitrary<Rule> = fc.oneof(
  fc.record(
    {
      verbs,
      apiGroups: listOf("", "apps", "*"),
      resources: listOf("pods", "pods/log", "*/log", "*", "jobs"),
      resourceNames: fc.array(fc.constantFrom("one", "two"), { maxLength: 2 }),
    },
    { requiredKeys: ["verbs", "apiGroups", "resources"] },
  ),
  fc.record({ verbs, nonResourceURLs: listOf("/x", "/x/*", "*", "/y*") }),
);

const rules = fc.array(anyRule, { maxLength: 3 });

export const anyRole: fc.Arbitrary<AnyRole> = fc.oneof(
  fc.record({ kind: fc.constant("ClusterRole" as const), metadata: fc.record({ name: roleName }), rules }),
  fc.record({ kind: fc.constant("Role" as const), metadata: fc.record({ name: roleName, namespace }), rules }),
);

const subject = fc.oneof(
  fc.record({ kind: fc.constant("User"), name: fc.constantFrom("ann", "system:serviceaccount:a:sa", "__proto__") }),
  fc.record({ kind: fc.constant("Group"), name: fc.constantFrom("red", "blue", "constructor") }),
  fc.record(
    { kind: fc.constant("ServiceAccount"), name: fc.constant("sa"), namespace },
    { requiredKeys: ["kind", "name"] },
  ),
  fc.record({ kind: fc.constant("Robot"), name: fc.constant("ann") }),
);
const subjects = fc.array(subject, { maxLength: 3 });
const bindingName = fc.constantFrom("b0", "b1", "b2", "b3");

export const anyBinding: fc.Arbitrary<AnyBinding> = fc.oneof(
  fc.record({
    kind: fc.constant("ClusterRoleBinding" as const),
    metadata: fc.record({ name: bindingName }),
    roleRef: fc.record({ kind: fc.constant("ClusterRole"), name: roleName }),
    subjects,
  }),
  fc.record({
    kind: fc.constant("RoleBinding" as const),
    metadata: fc.record({ name: bindingName, namespace }),
    roleRef: fc.record({ kind: fc.constantFrom("Role", "ClusterRole"), name: roleName }),
    subjects,
  }),
);

export const anyUser: fc.Arbitrary<User> = fc.record({
  name: fc.constantFrom("ann", "system:serviceaccount:a:sa", "__proto__", "nobody"),
  uid: fc.constant(""),
  groups: fc.array(fc.constantFrom("red", "blue", "constructor"), { maxLength: 2 }),
  extra: fc.constant({}),
});

export const anyAttributes: fc.Arbitrary<Attributes> = fc.oneof(
  fc.record({
    user: anyUser,
    verb: fc.constantFrom("get", "list", "create"),
    group: fc.constantFrom("", "apps"),
    resource: fc.constantFrom("pods", "jobs"),
    subresource: fc.constantFrom("", "log"),
    namespace: fc.constantFrom("", "a", "b", "c"),
    name: fc.constantFrom("", "one", "three"),
  }),
  fc.record({ user: anyUser, verb: fc.constantFrom("get", "list"), path: fc.constantFrom("/x", "/x/y", "/yz", "/") }),
);
