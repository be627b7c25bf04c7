import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ApiResource, ResourceAccess } from "@homeostat/client";
import { FakeClock, NetworkError, SeededRandom } from "@homeostat/core";
import type { AccessRule } from "../controller/access.ts";
import { describeMissing, type Prerequisites, rulesYaml } from "./prerequisites.ts";
import { preflight, type PreflightClient } from "./preflight.ts";

const list: AccessRule = { group: "example.com", resource: "tenants", verbs: ["list", "watch"] };
const status: AccessRule = { group: "example.com", resource: "tenants", subresource: "status", verbs: ["patch"] };
const lease: AccessRule = {
  group: "coordination.k8s.io",
  resource: "leases",
  verbs: ["get", "update"],
  names: ["a", "b"],
  namespace: "system",
};

function kind(group: string, plural: string, subresources: string[] = [], version = "v1"): ApiResource {
  const names = { kind: plural, singular: "", shortNames: [], categories: [] };
  return { group, version, plural, scope: "Namespaced", verbs: [], subresources, ...names };
}

const everything = [kind("example.com", "tenants", ["status"]), kind("coordination.k8s.io", "leases")];

/** A server that denies some permissions, and counts concurrent requests. */
class Server implements PreflightClient {
  readonly asked: string[] = [];
  peak = 0;
  #under = 0;
  denied = new Set<string>();
  resources: ApiResource[] = everything;
  failures = new Map<string, string>();
  error: Error | undefined;

  async reviewOwnAccess(wanted: unknown): ReturnType<PreflightClient["reviewOwnAccess"]> {
    const { verb, type, subresource, namespace, name } = wanted as ResourceAccess;
    const text = [verb, type.group, type.plural, subresource, namespace, name].filter(Boolean).join(" ");
    this.asked.push(text);
    this.#under += 1;
    this.peak = Math.max(this.peak, this.#under);
    await Promise.resolve();
    this.#under -= 1;
    if (this.error !== undefined) throw this.error;
    return { isAllowed: !this.denied.has(text), isDenied: false, reason: "", evaluationError: "" };
  }

  async discover(): ReturnType<PreflightClient["discover"]> {
    if (this.error !== undefined) throw this.error;
    return { resources: this.resources, failures: this.failures };
  }
}

function check(
  server: Server,
  prerequisites: readonly Prerequisites[],
  clock = new FakeClock(),
): ReturnType<typeof preflight> {
  return preflight(prerequisites, { client: server, clock, random: new SeededRandom("preflight") });
}

describe("preflight", () => {
  it("reports met prerequisites, and sends each access review once", async () => {
    const server = new Server();

    const results = await check(server, [
      { name: "a", access: [list, status] },
      { name: "b", access: [list, lease] },
    ]);

    assert.deepEqual(results, [{ is: "met" }, { is: "met" }]);
    assert.deepEqual(server.asked.toSorted(), [
      "get coordination.k8s.io leases system a",
      "get coordination.k8s.io leases system b",
      "list example.com tenants",
      "patch example.com tenants status",
      "update coordination.k8s.io leases system a",
      "update coordination.k8s.io leases system b",
      "watch example.com tenants",
    ]);
  });

  it("names exactly the missing verbs for each part", async () => {
    const server = new Server();
    server.denied = new Set(["watch example.com tenants", "update coordination.k8s.io leases system b"]);

    const [a, b] = await check(server, [
      { name: "a", access: [list, lease] },
      { name: "b", access: [status] },
    ]);

    assert.ok(a?.is === "unmet");
    assert.deepEqual(a.access, [
      { ...list, verbs: ["watch"] },
      { ...lease, verbs: ["update"] },
    ]);
    assert.equal(
      describeMissing(a),
      "no permission to watch tenants.example.com; no permission to update leases.coordination.k8s.io named a, b in system",
    );
    assert.equal(
      rulesYaml(a.access),
      [
        "# ClusterRole",
        '- apiGroups: ["example.com"]',
        '  resources: ["tenants"]',
        '  verbs: ["watch"]',
        "# Role in system",
        '- apiGroups: ["coordination.k8s.io"]',
        '  resources: ["leases"]',
        '  resourceNames: ["a", "b"]',
        '  verbs: ["update"]',
      ].join("\n"),
    );
    assert.deepEqual(b, { is: "met" });
  });

  it("names the role once for consecutive rules", () => {
    assert.equal(
      rulesYaml([list, status, lease])
        .split("\n")
        .filter((line) => line.startsWith("#"))
        .join("\n"),
      "# ClusterRole\n# Role in system",
    );
  });

  it("names kinds, versions and subresources that are not served", async () => {
    const server = new Server();
    server.resources = [kind("example.com", "tenants", [], "v1")];

    const [result] = await check(server, [
      {
        name: "a",
        access: [list, status, lease, { group: "certificates.k8s.io", resource: "signers", verbs: ["approve"] }],
        kinds: [
          { group: "example.com", version: "v2", plural: "tenants" },
          { group: "example.com", version: "v1", plural: "tenants" },
        ],
      },
    ]);

    assert.ok(result?.is === "unmet");
    assert.equal(
      describeMissing(result),
      "tenants.example.com/v2 is not served; tenants.example.com, subresource status, is not served; leases.coordination.k8s.io is not served",
    );
  });

  it("treats kinds of a group whose discovery fails as served", async () => {
    const server = new Server();
    server.resources = [];
    server.failures = new Map([["example.com/v1", "ill"]]);

    assert.deepEqual(await check(server, [{ name: "a", access: [list] }]), [{ is: "met" }]);
  });

  it("reviews permissions of optional kinds only while they are served", async () => {
    const server = new Server();
    const mesh: AccessRule = { group: "mesh.example.com", resource: "routes", verbs: ["list"] };
    const parts = [
      { name: "a", access: [list] },
      { name: "b", access: [list, mesh], areKindsOptional: true },
    ];

    const [, missing] = await check(server, parts);
    assert.ok(missing?.is === "unmet");
    assert.deepEqual(missing.access, []);
    assert.equal(describeMissing(missing), "routes.mesh.example.com is not served");
    assert.deepEqual(server.asked, ["list example.com tenants", "watch example.com tenants"]);

    server.resources = [...everything, kind("mesh.example.com", "routes")];
    assert.deepEqual(await check(server, parts), [{ is: "met" }, { is: "met" }]);
    assert.deepEqual(server.asked.slice(2), [
      "list example.com tenants",
      "watch example.com tenants",
      "list mesh.example.com routes",
    ]);
  });

  it("limits the number of concurrent requests", async () => {
    const server = new Server();
    const many = Array.from({ length: 50 }, (_, i) => ({ ...list, resource: `kind${i}` }));

    await check(server, [{ name: "a", access: many }]);

    assert.equal(server.asked.length, 100);
    assert.equal(server.peak, 8);
  });

  it("retries failed requests a limited number of times", async () => {
    const server = new Server();
    server.error = new NetworkError({ socketCode: "ECONNREFUSED" });
    const clock = new FakeClock();
    const checking = check(server, [{ name: "a", access: [{ ...list, verbs: ["list"] }] }], clock);

    await clock.advance(20_000);
    const [result] = await checking;

    assert.equal(result?.is, "unknown");
    assert.equal(server.asked.length, 3);
    assert.equal(clock.pending, 0);
  });

  it("uses the response to a retry", async () => {
    const server = new Server();
    server.error = new NetworkError({ socketCode: "ECONNRESET" });
    const clock = new FakeClock();
    const checking = check(server, [{ name: "a", access: [list] }], clock);
    await clock.advance(1);

    server.error = undefined;
    await clock.advance(20_000);

    assert.deepEqual(await checking, [{ is: "met" }]);
  });

  it("ends when its signal aborts", async () => {
    const server = new Server();
    server.error = new Error("later");
    const stop = new AbortController();
    const clock = new FakeClock();
    const checking = preflight([{ name: "a", access: [list] }], {
      client: server,
      clock,
      random: new SeededRandom("x"),
      signal: stop.signal,
    });
    await clock.advance(1);

    stop.abort(new Error("stop"));

    await assert.rejects(checking, /stop/);
    assert.equal(clock.pending, 0);
  });
});
