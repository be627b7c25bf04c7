import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Client } from "@homeostat/client";
import { ApiError, ConflictError, ForbiddenError } from "@homeostat/core";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { creatorOf } from "../api/created-by.ts";
import { annotations, group } from "../api/identity.ts";
import { LocalWorkload, type LocalWorkloadInput } from "../api/local-workload.ts";
import { RouteGroup, type RouteGroupInput } from "../api/route-group.ts";
import { Sandbox, type SandboxInput } from "../api/sandbox.ts";
import { SandboxPolicy } from "../api/sandbox-policy.ts";
import { annotationsOf, Shop } from "../testing/shop.ts";

type Entry = NonNullable<SandboxInput["spec"]["services"]>[number];

const shop = "shop";
const cart: Entry = { name: "cart", targetRef: { name: "cart" } };

let count = 0;
const nextName = (): string => `a${(count += 1)}`;

async function createSandbox(client: Client, spec: SandboxInput["spec"], namespace = shop): Promise<Sandbox> {
  return client.create(Sandbox, Sandbox.make({ metadata: { name: nextName(), namespace }, spec }));
}

async function createGroup(client: Client, spec: RouteGroupInput["spec"], namespace = shop): Promise<RouteGroup> {
  return client.create(RouteGroup, RouteGroup.make({ metadata: { name: nextName(), namespace }, spec }));
}

async function createLocal(client: Client, spec: Partial<LocalWorkloadInput["spec"]>): Promise<LocalWorkload> {
  const ports = [{ name: "http", containerPort: 8080 }];
  const base = { sandboxRef: { name: "pr" }, service: { name: "cart", ports } };
  return client.create(
    LocalWorkload,
    LocalWorkload.make({ metadata: { name: nextName(), namespace: shop }, spec: { ...base, ...spec } }),
  );
}

/** Repeats a request until it has the expected result. The webhook follows the ConfigMap by a watch. */
async function until(isDone: () => Promise<boolean>): Promise<void> {
  for (let attempts = 0; attempts < 500; attempts += 1) if (await isDone()) return;
  assert.fail("not done after 500 requests");
}

/** Repeats a read and a write until the object did not change between them. */
async function untilCurrent<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof ConflictError) || attempt === 50) throw error;
    }
  }
}

/** Asserts that a request is denied with this text, at this field. */
async function denied(request: Promise<unknown>, field: string, says: string): Promise<void> {
  await assert.rejects(request, (error) => {
    assert.ok(error instanceof ApiError, String(error));
    assert.ok(error.message.includes(says), error.message);
    assert.ok(
      error.causes.some((cause) => cause.field === field),
      `${field} in ${JSON.stringify(error.causes)}`,
    );
    return true;
  });
}

describe("the webhooks on an API server", () => {
  let world: Shop;
  let admin: Client;
  /** May create Deployments and Services in the shop. */
  let jane: Client;
  /** May fork the cart, and create nothing. */
  let fred: Client;
  /** May write Sandboxes, and nothing else. */
  let eve: Client;

  before(async () => {
    world = await Shop.open();
    admin = world.client;
    await world.namespace(shop, { quota: { perUser: 100, sandboxes: 1000 } });
    await world.namespace("open", undefined, { "sandbox.example.com/enabled": "true" });
    await world.namespace("closed");
    await world.namespace("shared", { allowedFromNamespaces: [{ name: shop }] });
    await world.namespace("private", {});
    for (const namespace of [shop, "closed", "shared", "private"]) await world.workload(namespace, "cart");
    await world.workload(shop, "orders");
    jane = await world.developer("jane", "team-a");
    await world.allowCreating("jane", shop);
    fred = await world.developer("fred");
    await world.allow("fred", shop, [[group, "sandboxes/targets", "fork"]], ["cart"]);
    eve = await world.developer("eve");
  });
  after(() => world[Symbol.asyncDispose]());

  describe("creating a Sandbox", () => {
    it("needs RBAC on sandboxes", async () => {
      const stranger = world.installed.clientOf("mallory");

      await assert.rejects(createSandbox(stranger, {}), ForbiddenError);
    });

    it("needs a namespace that is enabled", async () => {
      await world.allowCreating("jane", "closed");

      await denied(
        createSandbox(jane, { services: [cart] }, "closed"),
        "spec.services[0].targetRef",
        "namespace closed is not enabled for sandboxes",
      );
    });

    it("needs the right to create Deployments and Services in the namespace of the workload", async () => {
      await denied(
        createSandbox(eve, { services: [cart] }),
        "spec.services[0].targetRef",
        'user "eve" cannot create Deployments and Services in namespace "shop" and cannot fork "cart"; request one of these permissions (verb fork on sandboxes/targets)',
      );
      await createSandbox(jane, { services: [cart] });
    });

    it("accepts the right to fork instead, for the named workloads", async () => {
      await createSandbox(fred, { services: [cart] });

      await denied(
        createSandbox(fred, { services: [{ name: "orders", targetRef: { name: "orders" } }] }),
        "spec.services[0].targetRef",
        'cannot fork "orders"',
      );
    });

    it("needs the right to create Services for entries without pods", async () => {
      await denied(
        createSandbox(eve, { services: [{ ...cart, mode: "Local" }] }),
        "spec.services[0].targetRef",
        "cannot create Services in namespace",
      );
    });

    it("needs the right to create Jobs for hooks", async () => {
      const spec = { provision: [{ name: "db", create: { image: "db:1" } }] };

      await denied(createSandbox(jane, spec), "spec.provision[0]", "cannot create Jobs in namespace");
      await world.allow("jane", shop, [["batch", "jobs", "create"]]);
      await createSandbox(jane, spec);
    });

    it("is allowed without rights for a sandbox without workloads", async () => {
      await createSandbox(eve, {});
    });

    it("is checked again for entries that an update changes, with the rights of the updating user", async () => {
      const sandbox = await createSandbox(jane, { services: [cart] });
      const update = (image: string) =>
        eve.patch(
          Sandbox,
          { namespace: shop, name: sandbox.metadata.name ?? "" },
          { merge: { spec: { services: [{ ...cart, containers: [{ name: "app", image }] }] } } },
        );

      await denied(update("evil:1"), "spec.services[0].targetRef", 'user "eve" cannot create Deployments');
      await eve.patch(
        Sandbox,
        { namespace: shop, name: sandbox.metadata.name ?? "" },
        { merge: { spec: { suspend: true } } },
      );
    });

    it("respects the policies of the namespace", async () => {
      await admin.create(
        SandboxPolicy,
        SandboxPolicy.make({
          metadata: { name: "no-orders", namespace: shop },
          spec: { deniedTargets: [{ name: "orders" }] },
        }),
      );

      await denied(
        createSandbox(jane, { services: [{ name: "orders", targetRef: { name: "orders" } }] }),
        "spec.services[0].targetRef",
        "Deployment shop/orders is listed in deniedTargets",
      );
      await admin.delete(SandboxPolicy, { namespace: shop, name: "no-orders" });
    });

    it("is possible before the workload exists", async () => {
      const sandbox = await createSandbox(jane, { services: [{ name: "later", targetRef: { name: "later" } }] });

      assert.equal(sandbox.spec.services[0]?.targetRef.name, "later");
    });

    it("refuses unknown containers, and Services that select other pods", async () => {
      const bad: Entry = { ...cart, containers: [{ name: "web" }], serviceNames: ["orders"] };

      await denied(
        createSandbox(jane, { services: [bad] }),
        "spec.services[0].containers[0].name",
        "is not a container of Deployment cart; its containers are app",
      );
      await denied(
        createSandbox(jane, { services: [bad] }),
        "spec.services[0].serviceNames[0]",
        "does not select pods of Deployment cart",
      );
    });

    it("reports all problems at once", async () => {
      const request = createSandbox(eve, {
        ttl: "30d",
        services: [cart],
        endpoints: [{ name: "web", target: "http://none.shop.svc", auth: "None" }],
      });

      await assert.rejects(request, (error) => {
        assert.ok(error instanceof ApiError);
        assert.deepEqual(error.causes.map(({ field = "" }) => field).toSorted(), [
          "spec.endpoints[0].auth",
          "spec.endpoints[0].target",
          "spec.services[0].targetRef",
          "spec.ttl",
        ]);
        return true;
      });
    });

    it("has no side effects in a dry run", async () => {
      const name = nextName();
      const sandbox = Sandbox.make({ metadata: { name, namespace: shop }, spec: { services: [cart] } });

      const answer = await jane.create(Sandbox, sandbox, { dryRun: true });

      assert.equal(creatorOf(answer)?.user, "jane");
      assert.equal(await jane.get(Sandbox, { namespace: shop, name }), undefined);
      await denied(eve.create(Sandbox, sandbox, { dryRun: true }), "spec.services[0].targetRef", "cannot fork");
    });
  });

  describe("naming another namespace", () => {
    const foreign = (namespace: string): SandboxInput["spec"] => ({
      services: [{ name: "cart", targetRef: { name: "cart", namespace } }],
    });

    it("needs a policy there", async () => {
      await world.allowCreating("jane", "private");

      await denied(
        createSandbox(jane, foreign("private")),
        "spec.services[0].targetRef",
        "no SandboxPolicy of namespace private allows objects of namespace shop",
      );
    });

    it("needs the rights there too", async () => {
      await denied(
        createSandbox(jane, foreign("shared")),
        "spec.services[0].targetRef",
        'cannot create Deployments and Services in namespace "shared"',
      );
    });

    it("is allowed with both", async () => {
      await world.allowCreating("jane", "shared");

      await createSandbox(jane, foreign("shared"));
    });

    it("is never allowed for system namespaces", async () => {
      for (const namespace of ["kube-system", "kube-public", "sandbox-system"]) {
        await denied(
          createSandbox(jane, foreign(namespace)),
          "spec.services[0].targetRef",
          `namespace ${namespace} can never be used`,
        );
      }
    });
  });

  describe("referencing a Secret or ConfigMap", () => {
    const reading = (name: string): SandboxInput["spec"] => ({
      services: [
        {
          ...cart,
          containers: [{ name: "app", env: [{ name: "A", valueFrom: { secretKeyRef: { name, key: "k" } } }] }],
        },
      ],
    });
    const patching = (name: string): SandboxInput["spec"] => ({
      services: [
        {
          ...cart,
          patches: [
            {
              type: "JSON",
              value: [{ op: "add", path: "/spec/template/spec/volumes/-", value: { name: "x", configMap: { name } } }],
            },
          ],
        },
      ],
    });

    it("is allowed for those of the baseline", async () => {
      await createSandbox(jane, reading("cart-db"));
    });

    it("needs the right to get others, in variables and in patches", async () => {
      await denied(
        createSandbox(jane, reading("payments")),
        "spec.services[0].containers[0].env[0].valueFrom.secretKeyRef.name",
        'user "jane" cannot get Secret "payments" in namespace "shop", and the baseline does not use it',
      );
      await denied(
        createSandbox(jane, patching("settings")),
        "spec.services[0].patches[0].value[0].value.configMap.name",
        'cannot get ConfigMap "settings"',
      );
      await world.allow("jane", shop, [["", "secrets", "get"]], ["payments"]);
      await createSandbox(jane, reading("payments"));
    });
  });

  describe("changing the routing of a Service", () => {
    it("needs rights for a LocalWorkload without an entry of the sandbox", async () => {
      await denied(createLocal(eve, {}), "spec.service", 'cannot create Services in namespace "shop"');
      await createLocal(jane, {});
    });

    it("needs no further rights for an entry with the mode Local, and is refused for others", async () => {
      const sandbox = await createSandbox(jane, {
        services: [
          { ...cart, mode: "Local" },
          { name: "orders", targetRef: { name: "orders" } },
        ],
      });
      const sandboxRef = { name: sandbox.metadata.name ?? "" };
      const ports = [{ name: "http", containerPort: 8080 }];

      await createLocal(eve, { sandboxRef, service: { name: "cart", ports } });
      await denied(
        createLocal(jane, { sandboxRef, service: { name: "orders", ports } }),
        "spec.service.name",
        "is an entry of the sandbox with the mode Fork",
      );
    });

    it("is refused if a policy forbids LocalWorkloads", async () => {
      await admin.create(
        SandboxPolicy,
        SandboxPolicy.make({ metadata: { name: "no-local", namespace: shop }, spec: { allowLocal: false } }),
      );

      await denied(createLocal(jane, {}), "spec.service", "do not allow LocalWorkloads");
      await admin.delete(SandboxPolicy, { namespace: shop, name: "no-local" });
    });
  });

  describe("creating a RouteGroup", () => {
    const endpoints = (target: string) => ({ endpoints: [{ name: "web", target }] });

    it("needs RBAC on routegroups", async () => {
      await assert.rejects(createGroup(world.installed.clientOf("mallory"), {}), ForbiddenError);
    });

    it("is limited to Services of the namespace, unless a policy allows others", async () => {
      await denied(
        createGroup(eve, endpoints("http://cart.private.svc")),
        "spec.endpoints[0].target",
        "no SandboxPolicy of namespace private allows objects of namespace shop",
      );
      await createGroup(eve, endpoints("http://cart.shared.svc"));
      await createGroup(eve, endpoints("http://cart.shop.svc:80"));
    });

    it("needs a Service that exists", async () => {
      await denied(
        createGroup(eve, endpoints("http://none.shop.svc")),
        "spec.endpoints[0].target",
        "Service none does not exist in namespace shop",
      );
    });

    it("cannot name sandboxes of other namespaces", async () => {
      await denied(
        createGroup(eve, { routes: [{ targetSandbox: "other/a" }] }),
        "spec.routes[0].targetSandbox",
        "should match",
      );
    });
  });

  describe("the recorded creator", () => {
    it("is the user of the request, with groups, whatever the request says", async () => {
      const forged = { [annotations.createdBy]: '{"user":"root","groups":["system:masters"]}' };
      const metadata = { name: nextName(), namespace: shop, annotations: forged };

      const sandbox = await jane.create(Sandbox, Sandbox.make({ metadata, spec: {} }));
      const local = await createLocal(jane, {});
      const routeGroup = await createGroup(eve, {});

      assert.deepEqual(creatorOf(sandbox), { user: "jane", groups: ["team-a", "system:authenticated"] });
      assert.equal(creatorOf(local)?.user, "jane");
      assert.equal(creatorOf(routeGroup)?.user, "eve");
    });

    it("cannot be changed, and is kept when an update leaves it out", async () => {
      const sandbox = await createSandbox(jane, {});
      const name = sandbox.metadata.name ?? "";
      const forge = eve.patch(
        Sandbox,
        { namespace: shop, name },
        { merge: { metadata: { annotations: { [annotations.createdBy]: "x" } } } },
      );

      await denied(
        forge,
        `metadata.annotations[${annotations.createdBy}]`,
        "cannot be changed; remove it from the request",
      );
      // The controller of Sandboxes writes the object as well, so the version that was created may be outdated.
      const replace = async (): Promise<Sandbox> => {
        const current = await eve.get(Sandbox, { namespace: shop, name });
        assert.ok(current !== undefined);
        const { resourceVersion, finalizers } = current.metadata;
        return eve.update(Sandbox, {
          ...current,
          metadata: {
            name,
            namespace: shop,
            ...(resourceVersion !== undefined && { resourceVersion }),
            ...(finalizers !== undefined && { finalizers }),
          },
        });
      };
      const replaced = await untilCurrent(replace);
      assert.equal(annotationsOf(replaced)[annotations.createdBy], annotationsOf(sandbox)[annotations.createdBy]);
    });
  });

  describe("routing keys and hosts", () => {
    it("are unique in the cluster, as far as admission knows", async () => {
      await createSandbox(jane, { routingKey: "taken" });

      await denied(createSandbox(jane, { routingKey: "taken" }), "spec.routingKey", "is the key of Sandbox a");
      await denied(
        createGroup(eve, { routingKey: "taken" }, "open"),
        "spec.routingKey",
        "is the key of a Sandbox of another namespace",
      );
    });

    it("never change once they are generated", async () => {
      const sandbox = await createSandbox(jane, {});
      const key = { namespace: shop, name: sandbox.metadata.name ?? "" };
      await admin.patch(Sandbox, key, { merge: { status: { routingKey: "generated" } } }, { subresource: "status" });

      await denied(
        jane.patch(Sandbox, key, { merge: { spec: { routingKey: "wanted" } } }),
        "spec.routingKey",
        "the key of this Sandbox is generated and never changes",
      );
      await jane.patch(Sandbox, key, { merge: { spec: { routingKey: "generated" } } });
    });
  });

  describe("quotas", () => {
    it("limit the sandboxes of a namespace and of a user", async () => {
      await world.namespace("small", { quota: { sandboxes: 2, perUser: 1 } });
      await createSandbox(jane, {}, "small");

      await denied(
        createSandbox(jane, {}, "small"),
        "metadata.namespace",
        "you have 1 sandboxes in namespace small, which allows 1 per user",
      );
      await createSandbox(eve, {}, "small");
      await denied(
        createSandbox(fred, {}, "small"),
        "metadata.namespace",
        "namespace small has 2 sandboxes and allows 2",
      );
    });
  });

  describe("objects that were valid before", () => {
    it("can lose their finalizer and be changed under a stricter policy", async () => {
      const sandbox = await createSandbox(jane, { services: [cart], ttl: "3d" });
      const key = { namespace: shop, name: sandbox.metadata.name ?? "" };
      await admin.create(
        SandboxPolicy,
        SandboxPolicy.make({
          metadata: { name: "strict", namespace: shop },
          spec: { maxTTL: "1d", deniedTargets: [{ name: "cart" }] },
        }),
      );

      await eve.patch(Sandbox, key, { merge: { metadata: { finalizers: ["example.com/a"] } } });
      await eve.patch(Sandbox, key, { merge: { spec: { suspend: true } } });
      await denied(jane.patch(Sandbox, key, { merge: { spec: { ttl: "4d" } } }), "spec.ttl", "4d is above maxTTL");

      await eve.delete(Sandbox, key);
      await eve.patch(Sandbox, key, { merge: { metadata: { finalizers: null } } });
      assert.equal(await admin.get(Sandbox, key), undefined);
      await admin.delete(SandboxPolicy, { namespace: shop, name: "strict" });
    });
  });

  describe("a SandboxPolicy", () => {
    it("is refused if its rules do not compile", async () => {
      const policy = SandboxPolicy.make({
        metadata: { name: "bad", namespace: shop },
        spec: { allowedImages: ["a["] },
      });

      await denied(admin.create(SandboxPolicy, policy), "spec.allowedImages[0]", "has a [ without a ]");
    });
  });

  describe("the configuration", () => {
    const data = (text: string) => ({ data: { "config.yaml": text } });
    const configMap = { namespace: "sandbox-system", name: "sandbox-config" };
    const accepts = async (ttl: string): Promise<boolean> =>
      createSandbox(jane, { ttl }).then(
        () => true,
        () => false,
      );

    it("is used when it changes, and stays in force when the next one is invalid", async () => {
      await admin.create(ConfigMap, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: configMap,
        ...data("limits: {maxTTL: 1d}"),
      });
      await until(async () => !(await accepts("2d")));
      await admin.patch(ConfigMap, configMap, { merge: data("limits: {maxTTL: soon}") });
      await admin.patch(ConfigMap, configMap, { merge: { metadata: { labels: { a: "b" } } } });

      assert.equal(await accepts("2d"), false);
      await admin.delete(ConfigMap, configMap);
      await until(async () => accepts("2d"));
    });
  });
});
