import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fuzz } from "@homeostat/fuzz";
import { impersonatedUser } from "./impersonation-headers.ts";
import { Impersonation } from "./impersonation.ts";
import { RbacPolicy } from "./rbac/policy.ts";
import type { Rule } from "./rbac/rule.ts";
import { Refusal } from "./refusal.ts";
import type { User } from "./user.ts";

const requester: User = { name: "ann", uid: "", groups: ["system:authenticated"], extra: {} };
const listPods = {
  user: requester,
  verb: "list",
  group: "",
  resource: "pods",
  subresource: "",
  namespace: "a",
  name: "",
};
const userNamed = (name: string, more: Partial<User> = {}): User => ({ name, uid: "", groups: [], extra: {}, ...more });

function impersonation(...rules: Rule[]): Impersonation {
  return new Impersonation(
    new RbacPolicy([
      { kind: "ClusterRole", metadata: { name: "r" }, rules },
      {
        kind: "ClusterRoleBinding",
        metadata: { name: "b" },
        roleRef: { kind: "ClusterRole", name: "r" },
        subjects: [{ kind: "Group", name: "system:authenticated" }],
      },
    ]),
  );
}

function refusalOf(...args: Parameters<typeof impersonate>): string {
  const outcome = impersonate(...args);
  assert.ok(typeof outcome === "string");
  return outcome;
}

function impersonate(user: User, rules: readonly Rule[], attributes = listPods): User | string {
  const outcome = impersonation(...rules).impersonate(user, attributes);
  return outcome instanceof Refusal ? (outcome.status.message ?? "") : outcome;
}

const legacy = (resource: string, group = ""): Rule => ({
  verbs: ["impersonate"],
  apiGroups: [group],
  resources: [resource],
});

describe("impersonatedUser", () => {
  it("returns undefined without headers, and for an empty name", () => {
    assert.equal(impersonatedUser([["Accept", "x"]]), undefined);
    assert.equal(impersonatedUser([["Impersonate-User", ""]]), undefined);
  });

  it("collects name, uid, groups and extra", () => {
    const user = impersonatedUser([
      ["impersonate-user", "ben"],
      ["IMPERSONATE-GROUP", "red"],
      ["Impersonate-Group", "blue"],
      ["Impersonate-Uid", "7"],
      ["Impersonate-Extra-A.b%2fC", "one"],
      ["Impersonate-Extra-a.b%2Fc", "two"],
      ["Impersonate-Extra-bad%zz", "three"],
      ["Impersonate-Extra-%c3%bc", "four"],
      ["Impersonate-User", "second"],
    ]);

    assert.deepEqual(user, {
      name: "ben",
      uid: "7",
      groups: ["red", "blue"],
      extra: { "a.b/c": ["one", "two"], "bad%zz": ["three"], ü: ["four"] },
    });
  });

  it("refuses other headers without a name", () => {
    const refusal = impersonatedUser([["Impersonate-Uid", 'a"b']]);

    assert.ok(refusal instanceof Refusal);
    assert.equal(refusal.status.code, 400);
    assert.equal(
      refusal.status.message,
      'requested &user.DefaultInfo{Name:"", UID:"a\\"b", Groups:[]string(nil), Extra:map[string][]string(nil)} without impersonating a user name',
    );
  });

  it("returns a user or a refusal for malformed headers", () => {
    const names = [
      "Impersonate-User",
      "Impersonate-Group",
      "Impersonate-Uid",
      "Impersonate-Extra-a%2fb",
      "Impersonate-Extra-__proto__",
      "Impersonate-Extra-",
    ];
    const pieces = [
      "%",
      "%2",
      "%ff",
      "%00",
      "__proto__",
      "é",
      "\u0000",
      "-",
      "system:serviceaccount:a:b",
      "\ud800",
      ":",
    ];
    const impersonator = impersonation(legacy("users"), legacy("groups"));

    const { accepted } = fuzz<[string, string][]>({
      count: 100_000,
      input: (chance) =>
        Array.from({ length: chance.int(5) }, () => [
          chance.int(3) === 0 ? chance.mutate(chance.pick(names), pieces) : chance.pick(names),
          chance.mutate("system:node:worker", pieces),
        ]),
      run: (headers) => {
        const user = impersonatedUser(headers);
        if (user === undefined || user instanceof Refusal) return;
        assert.equal(Object.getPrototypeOf(user.extra), Object.prototype);
        impersonator.impersonate(user, listPods);
      },
      isExpected: () => false,
    });

    assert.equal(accepted, 100_000);
  });
});

describe("Impersonation", () => {
  it("needs the legacy permission for every attribute of the user", () => {
    const user = userNamed("ben", { groups: ["red"], uid: "7", extra: { k: ["v"] } });
    const all = [
      legacy("users"),
      legacy("groups"),
      legacy("uids", "authentication.k8s.io"),
      legacy("userextras/k", "authentication.k8s.io"),
    ];

    assert.deepEqual(impersonate(user, all), { ...user, groups: ["red", "system:authenticated"] });
    for (const missing of all) {
      assert.equal(
        typeof impersonate(
          user,
          all.filter((rule) => rule !== missing),
        ),
        "string",
      );
    }
  });

  it("reports the constrained permission first if neither is granted", () => {
    assert.equal(
      impersonate(userNamed("ben"), []),
      'pods is forbidden: User "ann" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "a"',
    );
  });

  it("reports the mode that succeeded last first", () => {
    const rule = { ...legacy("users"), resourceNames: ["ben"] };
    const impersonator = impersonation(rule);
    impersonator.impersonate(userNamed("ben"), listPods);

    const outcome = impersonator.impersonate(userNamed("carl"), listPods);

    assert.ok(outcome instanceof Refusal);
    assert.equal(
      outcome.status.message,
      'users "carl" is forbidden: User "ann" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
  });

  const group = "authentication.k8s.io";
  const constrained = (mode: string, resource: string): Rule[] => [
    { verbs: [`impersonate:${mode}`], apiGroups: [group], resources: [resource] },
    { verbs: [`impersonate-on:${mode}:list`], apiGroups: [""], resources: ["pods"] },
  ];

  it("allows only the granted request with constrained permissions", () => {
    const rules = constrained("user-info", "users");

    assert.deepEqual(impersonate(userNamed("ben"), rules), { ...userNamed("ben"), groups: ["system:authenticated"] });
    assert.match(
      refusalOf(userNamed("ben"), rules, { ...listPods, verb: "delete" }),
      /impersonate-on:user-info:delete/,
    );
  });

  it("never allows system:masters with constrained permissions", () => {
    const rules = [...constrained("user-info", "users"), ...constrained("user-info", "groups")];

    assert.match(
      refusalOf(userNamed("ben", { groups: ["system:masters"] }), rules),
      /impersonating the system:masters group is not allowed$/,
    );
  });

  it("adds the groups of nodes and service accounts", () => {
    const node = impersonate(userNamed("system:node:worker"), constrained("arbitrary-node", "nodes"));
    const account = impersonate(
      userNamed("system:serviceaccount:a:b"),
      constrained("serviceaccount", "serviceaccounts"),
    );

    assert.deepEqual(node, { ...userNamed("system:node:worker"), groups: ["system:nodes", "system:authenticated"] });
    assert.deepEqual(account, {
      ...userNamed("system:serviceaccount:a:b"),
      groups: ["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"],
    });
  });

  it("allows a service account to impersonate the node it runs on", () => {
    const rules = constrained("associated-node", "nodes");
    const on = (node: string): typeof listPods => ({
      ...listPods,
      user: {
        ...requester,
        name: "system:serviceaccount:a:b",
        extra: { "authentication.kubernetes.io/node-name": [node] },
      },
    });

    assert.ok(typeof impersonate(userNamed("system:node:one"), rules, on("one")) === "object");
    assert.equal(typeof impersonate(userNamed("system:node:one"), rules, on("two")), "string");
  });

  it("adds the unauthenticated group to the anonymous user", () => {
    assert.deepEqual(
      impersonate(userNamed("system:anonymous"), [legacy("users")]),
      userNamed("system:anonymous", { groups: ["system:unauthenticated"] }),
    );
  });
});
