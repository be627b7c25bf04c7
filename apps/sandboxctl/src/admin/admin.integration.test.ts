// Commands of administrators with the installed operator.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Service } from "@homeostat/kubernetes/core/v1";
import { annotations, labels, RouteGroup, Sandbox, systemNamespace } from "@homeostat/sandbox-operator";
import { type Finished, runLine } from "../testing/run-line.ts";
import { TestShop } from "../testing/shop.ts";

describe("sandboxctl admin", () => {
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop[Symbol.asyncDispose]());

  const run = (line: string): Promise<Finished> => runLine(line, { client: shop.admin });
  /** Creates a Service as a takeover leaves it. Without a record the original selector is unknown. */
  const takeOver = async (name: string, original: string | undefined): Promise<void> => {
    await shop.admin.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata: {
        name,
        namespace: "shop",
        ...(original !== undefined && { annotations: { [annotations.original]: original } }),
      },
      spec: { selector: { [labels.proxy]: "true" }, ports: [{ port: 80, targetPort: 21_000 }] },
    });
  };
  const original = JSON.stringify({ selector: { app: "orders" }, targetPorts: { "80": 8080 } });

  it("status shows programs, route tables and Services that are taken over", async () => {
    await shop.admin.create(Deployment, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {
        name: "sandbox-operator",
        namespace: systemNamespace,
        labels: { "app.kubernetes.io/version": "1.2.3" },
      },
      spec: {
        selector: { matchLabels: { app: "operator" } },
        template: {
          metadata: { labels: { app: "operator" } },
          spec: { containers: [{ name: "operator", image: "operator:1" }] },
        },
      },
    });
    await takeOver("orders", original);

    const { code, out, err } = await run("admin status");
    assert.equal(code, 0, err);
    assert.match(out, /Programs in sandbox-system:\n +NAME +READY +VERSION\n +sandbox-operator +0\/1 +1\.2\.3\n/);
    assert.match(out, /Services that are taken over:\n.*\n +shop +orders +sandboxctl admin restore orders -n shop$/);
    const parts: unknown = JSON.parse((await run("admin status -o json")).out);
    assert.ok(typeof parts === "object" && parts !== null);
    assert.deepEqual(Object.keys(parts), ["programs", "routeTables", "takenOverServices"]);
  });

  it("status names the parts that a user may not list", async () => {
    const { code, out } = await runLine("admin status", { client: shop.installed.clientOf("bob") });

    assert.equal(code, 0);
    assert.match(out, /Route tables: unknown; you may not list RouteTables of all namespaces/);
  });

  it("restore gives a Service its selector and target ports back, and holds the operator off", async () => {
    const restored = await run("admin restore orders --hold 1h");
    assert.equal(restored.out, "service shop/orders restored", restored.err);
    const service = await shop.admin.get(Service, { namespace: "shop", name: "orders" });
    assert.deepEqual(service?.spec?.selector, { app: "orders" });
    assert.equal(service?.spec?.ports?.[0]?.targetPort, 8080);
    assert.equal(service?.metadata.annotations?.[annotations.original], undefined);
    assert.notEqual(service?.metadata.annotations?.[annotations.holdUntil], undefined);

    assert.equal((await run("admin restore orders")).out, "Service shop/orders is not taken over");
  });

  it("restore reports Services whose original selector is unknown", async () => {
    await takeOver("lost", undefined);

    const one = await run("admin restore lost");
    assert.equal(one.code, 1);
    assert.match(one.err, /Service shop\/lost could not be restored: its original selector is not recorded/);
    const all = await run("admin restore --all");
    assert.equal(all.code, 1);
    assert.match(all.err, /Service shop\/lost could not be restored/);
    await shop.admin.delete(Service, { namespace: "shop", name: "lost" });
    assert.equal((await run("admin restore --all")).out, "No Service is taken over");
  });

  for (const [line, code, says] of [
    ["admin restore", 2, /requires SERVICE or --all/],
    ["admin restore cart --all", 2, /requires SERVICE or --all/],
    ["admin restore nothing", 5, /Service shop\/nothing does not exist/],
    ["admin restore cart --hold soon", 2, /--hold is "soon"/],
  ] as const) {
    it(`exits with ${code} for "${line}"`, async () => {
      const finished = await run(line);
      assert.equal(finished.code, code, finished.err);
      assert.match(finished.err, says);
    });
  }

  it("uninstall prints what it would delete, and with --yes deletes it and restores Services", async () => {
    const metadata = { name: "pr", namespace: "shop" };
    await shop.admin.create(Sandbox, Sandbox.make({ metadata, spec: {} }));
    await shop.admin.create(RouteGroup, RouteGroup.make({ metadata, spec: {} }));
    await takeOver("stock", original);

    const plan = await run("admin uninstall");
    assert.equal(plan.code, 0, plan.err);
    assert.match(
      plan.out,
      /^RouteGroup shop\/pr would be deleted\nSandbox shop\/pr would be deleted\n.*Nothing was changed/,
    );
    assert.notEqual(await shop.admin.get(Sandbox, metadata), undefined);

    const done = await run("admin uninstall --yes");
    assert.equal(done.code, 0, done.err);
    assert.match(done.out, /service shop\/stock restored\nNow remove the operator: helm uninstall sandbox-operator/);
    assert.equal(await shop.admin.get(Sandbox, metadata), undefined);
  });
});
