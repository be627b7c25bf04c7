import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Transport } from "@homeostat/client";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { defineController, Gauge, Registry, silentLogger } from "@homeostat/runtime";
import { validatingWebhook } from "@homeostat/webhook";
import { operatorAccess } from "../access/operator-access.ts";
import { flag } from "../flags/flag.ts";
import { operatorManifests } from "../manifests/operator-manifests.ts";
import { createOperatorManager } from "../run/operator-manager.ts";
import { defineOperator } from "./define-operator.ts";

const unusedTransport: Transport = {
  async send() {
    throw new Error("no request is sent when a manager is created");
  },
};

describe("setup", () => {
  it("is called once per manager before the parts are used, and provides them a typed value", () => {
    const calls: string[] = [];
    const operator = defineOperator({
      name: "shop",
      flags: { size: flag.integer({ default: 1, help: "the size" }) },
      setup({ registry, client }, { size }) {
        calls.push(`setup ${size}`);
        registry.register(new Gauge({ name: "shop_size", help: "The size." }));
        return { size: size * 2, transport: client.transport };
      },
      services: (_, provided) => [
        () => {
          calls.push(`service ${provided().size}`);
          // @ts-expect-error setup returns no such thing
          assert.equal(provided().sizes, undefined);
          return { name: "feed", when: "always", run: async () => undefined };
        },
      ],
    });
    const manager = (size: number, registry: Registry): unknown =>
      createOperatorManager(operator, {
        connection: unusedTransport,
        settings: { size },
        registry,
        log: silentLogger,
        env: {},
        run: { namespace: "shop", healthProbeBindAddress: "0", metricsBindAddress: "0" },
      });
    const registries = [new Registry(), new Registry()] as const;

    manager(3, registries[0]);
    manager(4, registries[1]);

    assert.deepEqual(calls, ["setup 3", "service 6", "setup 4", "service 8"]);
    assert.ok(registries.every((registry) => registry.get("shop_size") !== undefined));
  });

  it("provides a separate value to each manager", async () => {
    const operator = defineOperator({
      name: "shop",
      setup: ({ namespace }) => ({ namespace }),
      webhooks: (_, provided) => [
        validatingWebhook({
          for: ConfigMap,
          *validate() {
            yield { field: "metadata.namespace", message: `is validated from ${provided().namespace}` };
          },
        }),
      ],
    });
    const first = operator.forManager();
    const second = operator.forManager();
    const validate = async (parts: typeof first): Promise<string> => {
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
      const gvk = { group: "", version: "v1", kind: "ConfigMap" };
      const request = { uid: "u", kind: gvk, requestKind: gvk, operation: "CREATE", name: "a", object };
      const verdict = await parts.webhooks[0]?.decide(request, { uid: "u", signal: AbortSignal.any([]) });
      return JSON.stringify(verdict);
    };
    const tools = (namespace: string): Parameters<typeof first.setup>[0] => Object.create({ namespace });

    first.setup(tools("one"));
    second.setup(tools("two"));

    assert.match(await validate(first), /validated from one/);
    assert.match(await validate(second), /validated from two/);
  });

  it("is not called for manifests and permissions, and provided() throws while the operator is being defined", () => {
    let isSetUp = false;
    const operator = defineOperator({
      name: "shop",
      setup() {
        isSetUp = true;
        return { rate: 5 };
      },
      controllers: (_, provided) => [
        defineController({
          for: ConfigMap,
          async reconcile() {
            assert.equal(provided().rate, 5);
          },
        }),
      ],
    });

    assert.ok(operatorManifests(operator, {}).length > 0);
    assert.ok(JSON.stringify(operatorAccess(operator, {})).includes("configmaps"));
    assert.equal(isSetUp, false);
    assert.throws(
      () =>
        defineOperator({
          name: "shop",
          setup: () => ({ rate: 5 }),
          controllers: (_, provided) => [provided().rate > 1].map(() => assert.fail()),
        }),
      { code: "NOT_RUNNING" },
    );
  });
});
