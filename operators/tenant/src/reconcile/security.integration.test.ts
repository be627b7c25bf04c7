// Actions that the author of a tenant must not perform through the operator. Without the webhook, the controller rejects them.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Namespace, Secret } from "@homeostat/kubernetes/core/v1";
import { RoleBinding } from "@homeostat/kubernetes/rbac/v1";
import { annotations } from "../api/identity.ts";
import { Bench, conditionOf } from "../testing/bench.ts";

const enforce = "pod-security.kubernetes.io/enforce";

describe("the controller without its webhook", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start();
  });
  after(() => bench[Symbol.asyncDispose]());

  it("creates nothing for a tenant below the minimum Pod Security level", async () => {
    await using _ = await bench.run();
    await bench.create("root", {
      podSecurity: { enforce: "privileged" },
      access: { admins: [{ kind: "User", name: "mallory" }] },
    });

    const failed = await bench.phase("root", "Failed");

    assert.match(
      conditionOf(failed, "Ready") ?? "",
      /^False InvalidSpec: spec\.podSecurity\.enforce: Invalid value: "privileged": is weaker than baseline, the minimum of this operator; use baseline or restricted, or ask/,
    );
    assert.equal(await bench.client.get(Namespace, { name: "tenant-root" }), undefined);
    assert.equal((await bench.events("root")).filter((line) => line.startsWith("Warning InvalidSpec")).length, 1);
  });

  it("creates nothing for a tenant that gives access to a subject of Kubernetes", async () => {
    await using _ = await bench.run();
    await bench.create("open", { access: { viewers: [{ kind: "User", name: "system:anonymous" }] } });

    const failed = await bench.phase("open", "Failed");

    assert.match(conditionOf(failed, "Ready") ?? "", /^False InvalidSpec: spec\.access\.viewers\[0\]\.name: /);
    assert.equal(await bench.client.get(Namespace, { name: "tenant-open" }), undefined);
  });

  it("leaves the namespace of an existing tenant as it is while its spec is below the minimum", async () => {
    {
      await using _ = await bench.run();
      await bench.create("old", { access: { admins: [{ kind: "User", name: "jane" }] } });
      await bench.running("old");
      await bench.change("old", {
        podSecurity: { enforce: "privileged" },
        access: { admins: [{ kind: "User", name: "mallory" }] },
        server: { replicas: 2 },
      });

      const failed = await bench.phase("old", "Failed");
      await bench.pass(60_000);

      assert.match(conditionOf(failed, "Ready") ?? "", /^False InvalidSpec: spec\.podSecurity\.enforce: /);
    }
    const namespace = await bench.existing(Namespace, { name: "tenant-old" });
    const binding = await bench.object(RoleBinding, "tenant-old", "neurallog-admins");
    assert.equal(namespace.metadata.labels?.[enforce], "restricted");
    assert.deepEqual(
      binding.subjects?.map(({ name }) => name),
      ["jane"],
    );
  });

  it("accepts the same tenant once an administrator lowers the minimum", async () => {
    await using _ = await bench.run({ settings: { minimumPodSecurity: "privileged" } });

    await bench.running("old");

    const namespace = await bench.existing(Namespace, { name: "tenant-old" });
    assert.equal(namespace.metadata.labels?.[enforce], "privileged");
  });
});

describe("a password from the operator's namespace", () => {
  const key = { namespace: "neurallog-system", name: "pw" };
  const passwords = ["first-password-0123", "second-password-0123"].map((text) => Buffer.from(text).toString("base64"));
  const [first = "", second = ""] = passwords;
  let bench: Bench;
  before(async () => {
    bench = await Bench.start();
    await bench.namespace(key.namespace);
    await bench.client.create(Secret, { apiVersion: "v1", kind: "Secret", metadata: key, data: { password: first } });
  });
  after(() => bench[Symbol.asyncDispose]());

  const share = (tenants: string | null): Promise<unknown> =>
    bench.client.patch(Secret, key, {
      merge: { metadata: { annotations: { [annotations.sharedWithTenants]: tenants } } },
    });
  const copied = async (): Promise<string | undefined> =>
    (await bench.client.get(Secret, { namespace: "tenant-acme", name: "acme-redis-auth" }))?.data?.["password"];

  it("is copied only while the Secret names the tenant", async () => {
    await using operator = await bench.run();
    const synced = (status: string) =>
      bench.waitFor(
        "acme",
        (tenant) => conditionOf(tenant, "PasswordSynced")?.startsWith(status) ?? false,
        `PasswordSynced ${status}`,
      );
    await share("acme-two, beta");
    await bench.create("acme", { redis: { security: { authSecret: key } } });
    const waiting = await synced("False");
    const before = await copied();

    await share("beta, acme");
    await bench.running("acme");
    const shared = await copied();
    await synced("True");

    await share(null);
    await bench.client.patch(Secret, key, { merge: { data: { password: second } } });
    const unshared = await synced("False");
    await bench.pass(120_000);
    const kept = await copied();

    await share("acme");
    await bench.until("the new password is copied", async () => (await copied()) === second);

    const text = /SecretNotFound: Secret neurallog-system\/pw .* does not exist or is not shared with this tenant; ask/;
    assert.match(conditionOf(waiting, "RedisReady") ?? "", text);
    assert.match(conditionOf(unshared, "PasswordSynced") ?? "", text);
    assert.equal(unshared.status?.phase, "Running");
    assert.deepEqual([before, shared, kept], [undefined, first, first]);
    for (const password of passwords) {
      const plain = Buffer.from(password, "base64").toString();
      assert.ok(!JSON.stringify([operator.lines, await bench.events("acme"), unshared]).includes(plain));
    }
  });
});
