// RBAC: creates the same roles and bindings on both servers and sends the same access reviews.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { User } from "@homeostat/apiserver";
import {
  type AnyBinding,
  type AnyRole,
  checkBindingWrite,
  checkRoleRef,
  checkRoleWrite,
  defaultPolicy,
  RbacPolicy,
  type RbacObject,
  Refusal,
  reviewAccess,
  reviewLocalAccess,
  reviewOwnAccess,
  reviewOwnRules,
} from "@homeostat/apiserver/internal";
import { SeededRandom } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import { assertSame, sorted } from "./compare.ts";
import { binding, namespaces, accessRequest, role, roles } from "./generate.ts";
import { reasonToSkipOwnCluster, startOwnCluster } from "../../../harness/own-cluster.ts";
import { at, plain, Server } from "./server.ts";
import { untilAuthorized } from "./until-authorized.ts";

const skip = await reasonToSkipOwnCluster();
const rbac = "rbac.authorization.k8s.io";
const base = `/apis/${rbac}/v1`;
const reviews = "/apis/authorization.k8s.io/v1";

function pathOf({ kind, metadata }: RbacObject): string {
  const plural = `${kind.toLowerCase()}s`;
  return metadata.namespace === undefined ? `${base}/${plural}` : `${base}/namespaces/${metadata.namespace}/${plural}`;
}

const writers: RbacObject[] = [
  {
    kind: "ClusterRole",
    metadata: { name: "writer" },
    rules: [
      {
        verbs: ["create", "update", "get"],
        apiGroups: [rbac],
        resources: ["roles", "rolebindings", "clusterroles", "clusterrolebindings"],
      },
      { verbs: ["create"], apiGroups: ["authorization.k8s.io"], resources: ["*"] },
    ],
  },
  {
    kind: "ClusterRole",
    metadata: { name: "binder" },
    rules: [
      { verbs: ["bind"], apiGroups: [rbac], resources: ["clusterroles"], resourceNames: ["cr1"] },
      { verbs: ["escalate"], apiGroups: [rbac], resources: ["roles"] },
    ],
  },
  {
    kind: "ClusterRoleBinding",
    metadata: { name: "writers" },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "writer" },
    subjects: [{ kind: "Group", apiGroup: rbac, name: "writers" }],
  },
  {
    kind: "ClusterRoleBinding",
    metadata: { name: "binders" },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "binder" },
    subjects: [{ kind: "Group", apiGroup: rbac, name: "binders" }],
  },
];

await describe("RBAC on the real server and ours", { skip }, async () => {
  const random = new SeededRandom("rights");
  const objects: RbacObject[] = [
    ...writers,
    ...roles(random),
    ...Array.from({ length: 40 }, (_, n) => binding(random, `b${n}`)),
    ...Array.from({ length: 40 }, (_, n) => binding(random, `b${n}`, namespaces[n % 2])),
  ];
  const defaults = defaultPolicy();
  const all: RbacObject[] = [
    ...defaults.clusterRoles,
    ...defaults.clusterRoleBindings,
    ...defaults.roles,
    ...defaults.roleBindings,
    ...objects,
  ];
  const policy = new RbacPolicy(all);
  const rolesAlone = all.filter(({ kind }) => kind === "Role" || kind === "ClusterRole");
  let cluster: RealCluster;
  let server: Server;

  before(async () => {
    cluster = await startOwnCluster();
    server = new Server(cluster);
    await Promise.all(
      objects.map((object) =>
        server.good({ method: "POST", path: pathOf(object), body: { apiVersion: `${rbac}/v1`, ...object } }),
      ),
    );
    await untilAuthorized(server);
  });

  after(async () => {
    server.close();
    await cluster.stop();
  });

  await it("has the same default roles and bindings", async () => {
    for (const kind of ["clusterRoles", "clusterRoleBindings", "roles", "roleBindings"] as const) {
      const items = at(await server.good({ path: `${base}/${kind.toLowerCase()}` }), "items");
      assert.ok(Array.isArray(items));
      const theirs = new Map(
        items.map((item) => [
          `${String(at(item, "metadata", "namespace"))}/${String(at(item, "metadata", "name"))}`,
          item,
        ]),
      );

      for (const { kind: _, ...ours } of defaults[kind]) {
        const {
          uid: _uid,
          resourceVersion: _version,
          ...metadata
        } = Object(
          at(plain(theirs.get(`${String(ours.metadata.namespace)}/${String(ours.metadata.name)}`)), "metadata"),
        );
        const their = theirs.get(`${String(ours.metadata.namespace)}/${String(ours.metadata.name)}`);
        assert.deepEqual(plain(ours), { ...Object(plain(their)), metadata });
      }
    }
  });

  await it("responds to 600 SubjectAccessReviews in the same way", async () => {
    const specs = Array.from({ length: 600 }, () => accessRequest(random));
    const path = `${reviews}/subjectaccessreviews`;
    const responses = await Promise.all(specs.map((spec) => server.ask({ method: "POST", path, body: { spec } })));

    let allowed = 0;
    let unresolved = 0;
    for (const [index, spec] of specs.entries()) {
      const theirs = responses[index]?.body;
      const ours = reviewAccess({ spec }, policy);
      const label = JSON.stringify(spec);
      assert.ok(!(ours instanceof Refusal), label);
      assert.equal(at(ours, "status", "allowed"), at(theirs, "status", "allowed"), label);
      const reason = at(theirs, "status", "reason");
      if (at(theirs, "status", "allowed") === true) {
        allowed += 1;
        assert.equal(reasonWithBinding(String(reason), spec), reason, label);
      } else {
        if (reason !== undefined) unresolved += 1;
        assert.deepEqual(sorted(at(ours, "status", "reason")), sorted(reason), label);
      }
      assert.deepEqual(plain(at(ours, "spec")), at(theirs, "spec"), label);
    }
    assert.ok(allowed > 50 && allowed < 500, `${allowed} were allowed`);
    assert.ok(unresolved > 20, `${unresolved} were about missing roles`);
  });

  /** Returns our decision with only the binding that the real server named, because it reads bindings in random order. */
  function reasonWithBinding(reason: string, spec: Parameters<typeof reviewAccess>[0]["spec"]): unknown {
    const [, kind, name] = /^RBAC: allowed by (\w+) "([^"]+)"/.exec(reason) ?? [];
    const named = all.filter((object) => {
      const { name: own = "", namespace } = object.metadata;
      return object.kind === kind && (namespace === undefined ? own : `${own}/${namespace}`) === name;
    });
    assert.equal(named.length, 1, reason);
    const response = reviewAccess({ spec }, new RbacPolicy([...rolesAlone, ...named]));
    return at(response, "status", "reason");
  }

  await it("rejects the same reviews with the same messages", async () => {
    const resourceAttributes = { verb: "get", resource: "pods", namespace: "default" };
    const nonResourceAttributes = { path: "/x", verb: "get" };
    const cases: [string, object][] = [
      ["subjectaccessreviews", { spec: { user: "a" } }],
      ["subjectaccessreviews", { spec: {} }],
      ["subjectaccessreviews", { spec: { user: "a", resourceAttributes, nonResourceAttributes } }],
      ["subjectaccessreviews", { metadata: { name: "x" }, spec: { user: "a", resourceAttributes } }],
      ["subjectaccessreviews", { spec: { resourceAttributes } }],
      [
        "subjectaccessreviews",
        { spec: { user: "a", resourceAttributes: { ...resourceAttributes, labelSelector: {} } } },
      ],
      [
        "subjectaccessreviews",
        {
          spec: {
            user: "a",
            resourceAttributes: {
              ...resourceAttributes,
              labelSelector: { rawSelector: "a in (", requirements: [{ key: "a", operator: "Exists" }] },
            },
          },
        },
      ],
      [
        "subjectaccessreviews",
        {
          spec: {
            user: "a",
            resourceAttributes: {
              ...resourceAttributes,
              labelSelector: { rawSelector: "a in (" },
              fieldSelector: { rawSelector: "b" },
            },
          },
        },
      ],
      [
        "subjectaccessreviews",
        {
          spec: {
            user: "a",
            resourceAttributes: {
              ...resourceAttributes,
              labelSelector: {
                requirements: [
                  { key: "a", operator: "Exists" },
                  { key: "b", operator: "Odd" },
                ],
              },
            },
          },
        },
      ],
      [
        "subjectaccessreviews",
        {
          spec: {
            user: "a",
            resourceAttributes: {
              ...resourceAttributes,
              fieldSelector: { requirements: [{ key: "a", operator: "In", values: ["x"] }] },
            },
          },
        },
      ],
      ["selfsubjectaccessreviews", { spec: {} }],
      ["selfsubjectaccessreviews", { spec: { resourceAttributes } }],
      ["selfsubjectaccessreviews", { spec: { nonResourceAttributes } }],
      ["selfsubjectaccessreviews", { metadata: { labels: { a: "b" } }, spec: { nonResourceAttributes } }],
      ["localsubjectaccessreviews", { spec: { user: "a", resourceAttributes } }],
      [
        "localsubjectaccessreviews",
        { spec: { user: "a", resourceAttributes: { ...resourceAttributes, namespace: "other" } } },
      ],
      ["localsubjectaccessreviews", { metadata: { namespace: "default" }, spec: { user: "a", nonResourceAttributes } }],
      ["localsubjectaccessreviews", { metadata: { name: "x" }, spec: { user: "a", resourceAttributes } }],
    ];
    const user: User = { name: "admin", uid: "", groups: ["system:masters"], extra: {} };

    for (const [resource, body] of cases) {
      const spec: object = Object(at(body, "spec"));
      const review = { spec, metadata: Object(at(body, "metadata") ?? {}) };
      const isLocal = resource.startsWith("local");
      const path = isLocal ? `${reviews}/namespaces/default/${resource}` : `${reviews}/${resource}`;
      const theirs = await server.ask({ method: "POST", path, body });

      const ours = isLocal
        ? reviewLocalAccess(review, "default", policy)
        : resource.startsWith("self")
          ? reviewOwnAccess(review, user, policy)
          : reviewAccess(review, policy);

      assertSame(ours, theirs, JSON.stringify([resource, body]));
    }
  });

  await it("lists the same rules for a user", async () => {
    for (const name of ["ann", "ben", "nobody"]) {
      const user: User = { name, uid: "", groups: ["red", "system:authenticated"], extra: {} };
      const path = `${reviews}/selfsubjectrulesreviews`;
      const headers = [
        ["Impersonate-User", name],
        ["Impersonate-Group", "red"],
      ] as const;
      const theirs = await server.good({ method: "POST", path, headers, body: { spec: { namespace: "default" } } });

      const ours = reviewOwnRules({ spec: { namespace: "default" } }, user, policy);

      assert.deepEqual(rulesInOrder(ours), rulesInOrder(theirs));
    }
    const headers = [["Impersonate-User", "ann"]] as const;
    const theirs = await server.ask({
      method: "POST",
      path: `${reviews}/selfsubjectrulesreviews`,
      headers,
      body: { spec: {} },
    });
    const ours = reviewOwnRules({ spec: {} }, { name: "ann", uid: "", groups: [], extra: {} }, policy);
    assertSame(ours, theirs, "no namespace");
  });

  /** Returns a response with sorted rules: the server reads bindings in random order. */
  function rulesInOrder(review: unknown): unknown {
    const { resourceRules, nonResourceRules, ...status } = Object(at(plain(review), "status"));
    const inOrder = (list: unknown): unknown =>
      Array.isArray(list)
        ? list.map((each) => JSON.stringify(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))).sort()
        : list;
    const { evaluationError } = status;
    return {
      ...Object(plain(review)),
      status: {
        ...status,
        evaluationError: sorted(evaluationError),
        resourceRules: inOrder(resourceRules),
        nonResourceRules: inOrder(nonResourceRules),
      },
    };
  }

  await it("prevents privilege escalation by new roles and bindings", async () => {
    let refused = 0;
    for (let n = 0; n < 150; n += 1) {
      const name = ["ann", "ben", "nobody"][n % 3] ?? "";
      const groups = ["writers", ...(n % 2 === 0 ? ["red"] : []), ...(n % 5 === 0 ? ["binders"] : [])];
      const user: User = { name, uid: "", groups: [...groups, "system:authenticated"], extra: {} };
      const namespace = n % 4 < 2 ? "default" : undefined;
      const isRole = n % 8 < 4;
      const next = isRole ? role(random, "new", namespace) : binding(random, "new", namespace);
      if (next.kind === "ClusterRole" && n % 3 === 0) {
        Object.assign(next, { rules: [], aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } });
      }
      const headers: [string, string][] = [
        ["Impersonate-User", name],
        ...groups.map((group): [string, string] => ["Impersonate-Group", group]),
      ];
      const theirs = await server.ask({
        method: "POST",
        path: `${pathOf(next)}?dryRun=All`,
        headers,
        body: { apiVersion: `${rbac}/v1`, ...next },
      });

      const write = { user, namespace: namespace ?? "", requestName: "", policy };
      const ours =
        next.kind === "Role" || next.kind === "ClusterRole"
          ? checkRoleWrite({ ...write, next })
          : checkBindingWrite({ ...write, next });

      if (ours === undefined) assert.equal(theirs.status, 201, JSON.stringify([user, next, theirs.body]));
      else {
        refused += 1;
        assertSame(ours, theirs, JSON.stringify([user, next]));
      }
    }
    assert.ok(refused > 60, `${refused} were refused`);
  });

  await it("prevents privilege escalation by updates", async () => {
    const headers: [string, string][] = [
      ["Impersonate-User", "nobody"],
      ["Impersonate-Group", "writers"],
    ];
    const user: User = { name: "nobody", uid: "", groups: ["writers", "system:authenticated"], extra: {} };
    for (const previous of objects.filter(
      ({ metadata }) => metadata.name === "r1" || metadata.name === "cr2" || metadata.name === "b3",
    )) {
      const path = `${pathOf(previous)}/${previous.metadata.name ?? ""}`;
      const stored: RbacObject = Object(await server.good({ path }));
      for (const change of [{ labels: { a: "b" } }, { finalizers: ["a.b/c"] }]) {
        const next = { ...stored, metadata: { ...stored.metadata, ...change } };
        const theirs = await server.ask({ method: "PUT", path: `${path}?dryRun=All`, headers, body: next });

        const write = {
          user,
          namespace: previous.metadata.namespace ?? "",
          requestName: previous.metadata.name ?? "",
          policy,
        };
        const ours =
          next.kind === "Role" || next.kind === "ClusterRole"
            ? checkRoleWrite({ ...write, next, previous: stored as AnyRole })
            : checkBindingWrite({ ...write, next, previous: stored as AnyBinding });

        if (ours === undefined) assert.equal(theirs.status, 200, JSON.stringify([next, theirs.body]));
        else assertSame(ours, theirs, JSON.stringify(next));
      }
    }
  });

  await it("does not allow changes of a roleRef", async () => {
    for (const previous of objects.filter(({ kind, metadata }) => kind.endsWith("Binding") && metadata.name === "b5")) {
      assert.ok(previous.kind === "RoleBinding" || previous.kind === "ClusterRoleBinding");
      const path = `${pathOf(previous)}/b5`;
      const stored: AnyBinding = Object(await server.good({ path }));
      const next = { ...stored, roleRef: { ...stored.roleRef, kind: "ClusterRole", name: "another" } };
      const theirs = await server.ask({ method: "PUT", path, body: next });

      assertSame(checkRoleRef(previous, next), theirs, path);
    }
  });
});
