import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { annotations, fieldManager, labels } from "../api/identity.ts";
import { app, deployment, service } from "../testing/fork-baselines.ts";
import { type ForkCase, forkCases, forkInput, podPatch } from "../testing/fork-cases.ts";
import { deriveFork } from "./derive-fork.ts";
import { forkAddress, type ForkServices } from "./fork-services.ts";
import { isRefusal, type Refusal, refusalMessage } from "./refusal.ts";
import { currentTargets, formatOriginal, readOriginal, viewService } from "./service-view.ts";

const plain: ForkCase = { baseline: { kind: "Deployment", object: deployment() }, services: [service("cart")] };

function build(change: Partial<ForkCase>): ForkServices {
  const fork = deriveFork(forkInput({ ...plain, ...change }));
  assert.ok(!isRefusal(fork), JSON.stringify(fork));
  return fork.services;
}

function refuse(change: Partial<ForkCase>): Refusal {
  const fork = deriveFork(forkInput({ ...plain, ...change }));
  assert.ok(isRefusal(fork));
  return fork;
}

describe("Services of a fork", () => {
  it("are made for Services that select the baseline, not for others and not for those of the operator", () => {
    const shadow = service("cart--base");
    const { services } = build({
      services: [
        { ...shadow, metadata: { ...shadow.metadata, labels: { [labels.managedBy]: fieldManager } } },
        service("orders", { selector: { app: "orders" } }),
        service("no-selector", { selector: {} }),
        service("external", { type: "ExternalName", externalName: "example.com" }),
        service("cart"),
        service("cart-b", { selector: { tier: "backend" } }),
      ],
    });

    assert.deepEqual(
      services.map(({ baseline }) => baseline),
      ["cart", "cart-b"],
    );
  });

  it("are made for the named Services only", () => {
    const services = [service("cart"), service("cart-b")];

    const result = build({ services, entry: { serviceNames: ["cart-b"] } });

    assert.deepEqual(
      result.services.map(({ baseline }) => baseline),
      ["cart-b"],
    );
  });

  it("report named Services that do not exist or do not select the workload", () => {
    const services = [service("orders", { selector: { app: "orders" } })];
    const refusal = refuse({ services, entry: { serviceNames: ["orders", "nothing"] } });

    assert.equal(refusal.reason, "InvalidReference");
    assert.match(refusalMessage(refusal), /serviceNames\[0\]: the Service orders does not select the Deployment cart/);
    assert.match(refusalMessage(refusal), /serviceNames\[1\]: the namespace shop has no Service nothing/);
  });

  it("never have fields of node ports and load balancers", () => {
    const balancer = service("cart", {
      type: "LoadBalancer",
      externalTrafficPolicy: "Local",
      healthCheckNodePort: 31_000,
      loadBalancerClass: "x",
      loadBalancerIP: "1.2.3.4",
      loadBalancerSourceRanges: ["10.0.0.0/8"],
      allocateLoadBalancerNodePorts: true,
      externalIPs: ["1.2.3.4"],
      internalTrafficPolicy: "Local",
      ports: [{ port: 80, targetPort: 8080, nodePort: 31_080 }],
    });
    const [first] = build({ services: [balancer] }).services;

    assert.deepEqual(Object.keys(first?.service.spec ?? {}).toSorted(), [
      "ports",
      "selector",
      "sessionAffinity",
      "type",
    ]);
    assert.deepEqual(first?.service.spec?.ports, [{ port: 80, targetPort: 8080 }]);
  });

  it("leave out ports that no container serves, and are not made without ports", () => {
    const ports = [{ name: "gone", port: 81, targetPort: "gone" }];
    const services = [service("cart"), service("cart-admin", { ports })];

    const result = build({ services });

    assert.deepEqual(
      result.services.map(({ baseline }) => baseline),
      ["cart"],
    );
    assert.deepEqual(result.missingPorts, ["cart-admin:81"]);
  });

  it("leave out a number that the baseline declares and a patch removes, not one that nothing declares", () => {
    const value = podPatch({ containers: [{ ...app, ports: [] }] });
    const ports = [
      { name: "a", port: 80, targetPort: 8080 },
      { name: "b", port: 90, targetPort: 9090 },
    ];

    const result = build({ services: [service("cart", { ports })], entry: { patches: [{ type: "Merge", value }] } });

    assert.deepEqual(result.missingPorts, ["cart:80"]);
    assert.deepEqual(
      result.services[0]?.service.spec?.ports?.map(({ port }) => port),
      [90],
    );
  });

  it("tell named ports of different protocols apart", () => {
    const object = deployment({
      spec: { containers: [{ ...app, ports: [{ name: "dns", containerPort: 53, protocol: "UDP" }] }] },
    });
    const ports = [
      { name: "dns", port: 53, targetPort: "dns", protocol: "UDP" },
      { name: "dns-tcp", port: 53, targetPort: "dns", protocol: "TCP" },
    ] as const;

    const result = build({
      baseline: { kind: "Deployment", object },
      services: [service("cart", { ports: [...ports] })],
    });

    assert.equal(result.services[0]?.service.spec?.ports?.length, 1);
  });

  it("have the number of a port that the baseline declares under several names", () => {
    const ports = [
      { name: "http", containerPort: 8080 },
      { name: "metrics", containerPort: 8080 },
    ];
    const readinessProbe = { httpGet: { port: "metrics" } };
    const lifecycle = { preStop: { httpGet: { port: "metrics" } } };
    const object = deployment({ spec: { containers: [{ ...app, ports, readinessProbe, lifecycle }] } });
    const services = [
      service("cart", {
        ports: [
          { name: "http", port: 80, targetPort: "http" },
          { name: "metrics", port: 9090, targetPort: "metrics" },
        ],
      }),
    ];

    const fork = deriveFork(forkInput({ baseline: { kind: "Deployment", object }, services }));

    assert.ok(!isRefusal(fork));
    const [container] = fork.deployment.spec.template.spec.containers;
    assert.deepEqual(container?.ports, [{ name: "http", containerPort: 8080 }]);
    assert.equal(container.readinessProbe?.httpGet?.port, 8080);
    assert.equal(container.lifecycle?.preStop?.httpGet?.port, 8080);
    assert.deepEqual(
      fork.services.services[0]?.service.spec?.ports?.map(({ targetPort }) => targetPort),
      ["http", 8080],
    );
    assert.deepEqual(fork.services.missingPorts, []);
  });

  it("find ports of sidecars", () => {
    const object = deployment({
      spec: {
        initContainers: [{ name: "s", image: "i", restartPolicy: "Always", ports: [{ name: "m", containerPort: 1 }] }],
      },
    });
    const services = [service("cart", { ports: [{ port: 81, targetPort: "m" }] })];

    assert.deepEqual(build({ baseline: { kind: "Deployment", object }, services }).missingPorts, []);
  });

  it("have the target ports that a Service has when no proxy stands in for its pods", () => {
    const before = service("cart");
    const taken = service("cart", {
      selector: { [labels.proxy]: "true" },
      ports: [{ name: "http", port: 80, protocol: "TCP", targetPort: 21_007 }],
    });
    const metadata = {
      ...taken.metadata,
      annotations: { [annotations.original]: formatOriginal(currentTargets(before)) },
    };

    assert.deepEqual(build({ services: [{ ...taken, metadata }] }), build({ services: [before] }));
  });

  it("have names of at most 63 characters that differ by sandbox, entry and Service", () => {
    const long = `${"c".repeat(60)}-a`;
    const names = build({ services: [service(long), service(`${"c".repeat(60)}-b`)] }).services.map(
      ({ service: each }) => each.metadata.name,
    );

    assert.equal(new Set(names).size, 2);
    assert.ok(names.every((name) => name.length <= 63));
  });
});

describe("the address of a fork", () => {
  it("is that of the first Service with a cluster IP", () => {
    const input = forkInput({ ...plain, services: [service("a-peers", { clusterIP: "None" }), service("cart")] });
    const { sandbox, routingKey } = input;

    const address = forkAddress({ sandbox, routingKey, entry: "cart" }, input);
    const fork = deriveFork(input);

    assert.ok(!isRefusal(fork));
    const name = fork.services.services.find(({ baseline }) => baseline === "cart")?.service.metadata.name;
    assert.deepEqual(address, { host: `${name}.shop.svc`, port: 80 });
  });

  it("is absent without a Service", () => {
    const none = forkCases["no-service"];
    assert.ok(none !== undefined);
    const input = forkInput(none);

    assert.equal(forkAddress({ ...input, entry: "cart" }, input), undefined);
  });
});

describe("the annotation of a Service that is taken over", () => {
  it("is read as it was written", () => {
    const before = service("cart", { ports: [{ port: 80 }, { port: 90, targetPort: "web" }] });
    const metadata = {
      ...before.metadata,
      annotations: { [annotations.original]: formatOriginal(currentTargets(before)) },
    };

    assert.deepEqual(readOriginal({ ...before, metadata }), {
      selector: { app: "cart" },
      targetPorts: { "80": 80, "90": "web" },
    });
  });

  it("is ignored if it is not valid", () => {
    for (const text of ["", "{", "null", "[]", '{"selector":{"a":1}}', '{"selector":{},"targetPorts":{"80":{}}}']) {
      const each = service("cart");
      const view = viewService({
        ...each,
        metadata: { ...each.metadata, annotations: { [annotations.original]: text } },
      });

      assert.deepEqual(view.selector, { app: "cart" }, text);
    }
  });
});
