import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { localWorkloadWith, routeGroupWith, sandboxWith } from "../testing/objects.ts";
import { localWorkloadWarnings, routeGroupWarnings, sandboxWarnings } from "./warnings.ts";

const entry = { name: "cart", targetRef: { name: "cart" } };

describe("warnings about a Sandbox", () => {
  it("are about images without a version", () => {
    const images = ["cart", "cart:latest", "cart:1", `cart@sha256:${"a".repeat(64)}`];
    const services = images.map((image, index) => ({
      name: `e${index}`,
      targetRef: { name: `w${index}` },
      containers: [{ name: "app", image }],
    }));

    const paths = [...sandboxWarnings(sandboxWith({ services }))].map(({ path }) => path);

    assert.deepEqual(paths, ["spec.services[0].containers[0].image", "spec.services[1].containers[0].image"]);
  });

  it("are about idle forks that no request can wake", () => {
    const idle = { sleepAfterSeconds: 60 };

    const [failing, holding, never] = [
      sandboxWith({ idle, services: [entry] }),
      sandboxWith({ idle, services: [{ ...entry, onUnavailable: "Hold" }] }),
      sandboxWith({ services: [entry] }),
    ].map((sandbox) => [...sandboxWarnings(sandbox)].map(({ path }) => path));

    assert.deepEqual(failing, ["spec.services[0].onUnavailable"]);
    assert.deepEqual([holding, never], [[], []]);
  });
});

describe("warnings about a RouteGroup", () => {
  it("are about groups without sandboxes and splits without memory", () => {
    const paths = (group: ReturnType<typeof routeGroupWith>) => [...routeGroupWarnings(group)].map(({ path }) => path);

    assert.deepEqual(paths(routeGroupWith()), ["spec.match"]);
    assert.deepEqual(paths(routeGroupWith({ routes: [{ targetSandbox: "a", percent: 10, stickyBy: "None" }] })), [
      "spec.routes[0].stickyBy",
    ]);
    assert.deepEqual(paths(routeGroupWith({ routes: [{ targetSandbox: "a", percent: 10 }] })), []);
  });
});

describe("warnings about a LocalWorkload", () => {
  it("are about machines that cannot attach", () => {
    const key = Buffer.alloc(32, 1).toString("base64url");
    const paths = (connection: { publicKeys?: string[]; target?: string }) =>
      [...localWorkloadWarnings(localWorkloadWith({ connection }))].map(({ path }) => path);

    assert.deepEqual(paths({}), ["spec.connection.publicKeys"]);
    assert.deepEqual(paths({ publicKeys: [key], target: "laptop" }), ["spec.connection.target"]);
    assert.deepEqual(paths({ publicKeys: [key], target: "0123456789ab" }), []);
  });
});
