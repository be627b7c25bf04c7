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
const wanted = (name: string, more: Partial<User> = {}): User => ({ name, uid: "", groups: [], extra: {}, ...more });

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

function refusalOf(...args: Parameters<typeof become>): string {
  const answer = become(...args);
  assert.ok(typeof answer === "string");
  return answer;
}

function become(user: User, rules: readonly Rule[], attributes = listPods): User | string {
  const answer = impersonation(...rules).become(user, attributes);
  return answer instanceof Refusal ? (answer.status.message ?? "") : answer;
}

const legacy = (resource: string, group = ""): Rule => ({
  verbs: ["impersonate"],
  apiGroups: [group],
  resources: [resource],
});

await describe("impersonatedUser", async () => {
  await it("asks nothing without headers, and without a name in them", () => {
    assert.equal(impersonatedUser([["Accept", "x"]]), undefined);
    assert.equal(impersonatedUser([["Impersonate-User", ""]]), undefined);
  });

  await it("collects the name, uid, groups and extra", () => {
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

  await it("refuses everything but a name without a name", () => {
    const refusal = impersonatedUser([["Impersonate-Uid", 'a"b']]);

    assert.ok(refusal instanceof Refusal);
    assert.equal(refusal.status.code, 400);
    assert.equal(
      refusal.status.message,
      'requested &user.DefaultInfo{Name:"", UID:"a\\"b", Groups:[]string(nil), Extra:map[string][]string(nil)} without impersonating a user name',
    );
  });

  await it("is not shaken by 100,000 odd headers", () => {
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
    const judge = impersonation(legacy("users"), legacy("groups"));

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
        judge.become(user, listPods);
      },
      isExpected: () => false,
    });

    assert.equal(accepted, 100_000);
  });
});

await describe("Impersonation", async () => {
  await it("needs the old right for everything one wants to be", () => {
    const user = wanted("ben", { groups: ["red"], uid: "7", extra: { k: ["v"] } });
    const all = [
      legacy("users"),
      legacy("groups"),
      legacy("uids", "authentication.k8s.io"),
      legacy("userextras/k", "authentication.k8s.io"),
    ];

    assert.deepEqual(become(user, all), { ...user, groups: ["red", "system:authenticated"] });
    for (const missing of all) {
      assert.equal(
        typeof become(
          user,
          all.filter((rule) => rule !== missing),
        ),
        "string",
      );
    }
  });

  await it("tells of the narrow right first when there is neither", () => {
    assert.equal(
      become(wanted("ben"), []),
      'pods is forbidden: User "ann" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "a"',
    );
  });

  await it("tells of the right that worked last when it does no more", () => {
    const rule = { ...legacy("users"), resourceNames: ["ben"] };
    const judge = impersonation(rule);
    judge.become(wanted("ben"), listPods);

    const answer = judge.become(wanted("carl"), listPods);

    assert.ok(answer instanceof Refusal);
    assert.equal(
      answer.status.message,
      'users "carl" is forbidden: User "ann" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
  });

  const group = "authentication.k8s.io";
  const narrow = (mode: string, resource: string): Rule[] => [
    { verbs: [`impersonate:${mode}`], apiGroups: [group], resources: [resource] },
    { verbs: [`impersonate-on:${mode}:list`], apiGroups: [""], resources: ["pods"] },
  ];

  await it("allows one thing as somebody else with the narrow rights, and not another", () => {
    const rules = narrow("user-info", "users");

    assert.deepEqual(become(wanted("ben"), rules), { ...wanted("ben"), groups: ["system:authenticated"] });
    assert.match(refusalOf(wanted("ben"), rules, { ...listPods, verb: "delete" }), /impersonate-on:user-info:delete/);
  });

  await it("never lets anybody be of system:masters by narrow rights", () => {
    const rules = [...narrow("user-info", "users"), ...narrow("user-info", "groups")];

    assert.match(
      refusalOf(wanted("ben", { groups: ["system:masters"] }), rules),
      /impersonating the system:masters group is not allowed$/,
    );
  });

  await it("gives nodes and service accounts their groups", () => {
    const node = become(wanted("system:node:worker"), narrow("arbitrary-node", "nodes"));
    const account = become(wanted("system:serviceaccount:a:b"), narrow("serviceaccount", "serviceaccounts"));

    assert.deepEqual(node, { ...wanted("system:node:worker"), groups: ["system:nodes", "system:authenticated"] });
    assert.deepEqual(account, {
      ...wanted("system:serviceaccount:a:b"),
      groups: ["system:serviceaccounts", "system:serviceaccounts:a", "system:authenticated"],
    });
  });

  await it("lets a service account speak for the node it runs on, whichever that is", () => {
    const rules = narrow("associated-node", "nodes");
    const on = (node: string): typeof listPods => ({
      ...listPods,
      user: {
        ...requester,
        name: "system:serviceaccount:a:b",
        extra: { "authentication.kubernetes.io/node-name": [node] },
      },
    });

    assert.ok(typeof become(wanted("system:node:one"), rules, on("one")) === "object");
    assert.equal(typeof become(wanted("system:node:one"), rules, on("two")), "string");
  });

  await it("puts the unknown among the unknown", () => {
    assert.deepEqual(
      become(wanted("system:anonymous"), [legacy("users")]),
      wanted("system:anonymous", { groups: ["system:unauthenticated"] }),
    );
  });
});
