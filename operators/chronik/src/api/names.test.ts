import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { components, statefulComponents } from "./identity.ts";
import { memberLabels, selectorText } from "./labels.ts";
import {
  bootstrapServers,
  claimOwner,
  colors,
  memberAddress,
  nameLengthMax,
  namePattern,
  names,
  ordinalOf,
  reservedNameSuffixes,
} from "./names.ts";

const cluster = { name: "cluster", namespace: "namespace", clusterDomain: "cluster.local" };

describe("names", () => {
  it("give members the addresses that status shows", () => {
    assert.equal(
      memberAddress(cluster, "controller", 0),
      "cluster-controller-0.cluster-controller.namespace.svc.cluster.local:9090",
    );
    assert.equal(
      memberAddress(cluster, "ingest", 12),
      "cluster-ingest-12.cluster-ingest.namespace.svc.cluster.local:9092",
    );
    assert.equal(
      memberAddress(cluster, "search", 1),
      "cluster-search-1.cluster-search.namespace.svc.cluster.local:9093",
    );
    assert.equal(bootstrapServers(cluster), "cluster-ingest-bootstrap.namespace.svc.cluster.local:9092");
  });

  it("fit labels and host names for the longest cluster", () => {
    const name = "a".repeat(nameLengthMax);
    const used = [
      names.component(name, "controller"),
      names.bootstrapService(name),
      names.externalService(name, 499),
      names.searchService(name),
      names.searchSlots(name, "IPv6"),
      ...colors.map((color) => names.searchColor(name, color)),
      // Revision label of StatefulSet pods, and the pods of a Deployment.
      `${names.component(name, "controller")}-${"f".repeat(10)}`,
      ...components.map((component) => names.member(name, component, 499)),
    ];

    for (const each of used) assert.ok(each.length <= 63, each);
  });

  it("of two clusters never collide, because reserved suffixes are rejected", () => {
    const valid = fc
      .stringMatching(/^[ab](-?(ingest|search|controller|config|api|0|b)){0,3}$/)
      .filter(
        (name) => new RegExp(namePattern).test(name) && !reservedNameSuffixes.some((each) => name.endsWith(each)),
      );
    const servicesOf = (name: string): string[] => [
      ...components.map((component) => names.component(name, component)),
      names.bootstrapService(name),
      names.searchService(name),
      ...[0, 1].map((ordinal) => names.externalService(name, ordinal)),
    ];
    fc.assert(
      fc.property(valid, valid, (first, second) => {
        fc.pre(first !== second);
        const own = new Set(servicesOf(first));
        assert.deepEqual(
          servicesOf(second).filter((each) => own.has(each)),
          [],
        );
      }),
    );
  });

  it("are read back", () => {
    fc.assert(
      fc.property(fc.constantFrom(...statefulComponents), fc.integer({ min: 0, max: 999 }), (component, ordinal) => {
        assert.equal(ordinalOf("demo", component, names.member("demo", component, ordinal)), ordinal);
        assert.deepEqual(claimOwner("demo", names.claim("demo", component, ordinal)), { component, ordinal });
      }),
    );
    for (const claim of [
      "data-demo-ingest-01",
      "data-demo-ingest-",
      "data-demo-ingest-1-2",
      "data-demo-search-1",
      "other-demo-ingest-1",
      "data-demo2-ingest-1",
      "data-demo-ingest-1e3",
    ]) {
      assert.equal(claimOwner("demo", claim), undefined, claim);
    }
  });
});

describe("labels", () => {
  it("of members contain the selector", () => {
    for (const component of components) {
      const own = memberLabels("demo", component);
      for (const pair of selectorText("demo", component).split(",")) {
        const [key = "", value] = pair.split("=");
        assert.equal(own[key], value);
      }
    }
  });
});
