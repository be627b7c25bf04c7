import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyJsonPatch, type JsonPatchOperation } from "@homeostat/core";
import type { Namespace } from "@homeostat/kubernetes/core/v1";
import { type AdmissionWebhook, handleAdmissionReview } from "@homeostat/webhook";
import type { Tenant } from "../api/tenant.ts";
import { defaultSettings } from "../testing/default-settings.ts";
import { tenant } from "../testing/validated-tenant.ts";
import { defaultingWebhook, defaultsOf } from "./defaulting.ts";
import { type ReadNamespace, tenantWebhook } from "./validating.ts";

interface Response {
  readonly allowed: boolean;
  readonly warnings?: string[];
  readonly patch?: string;
  readonly status?: {
    readonly code: number;
    readonly reason: string;
    readonly message: string;
    readonly details?: {
      readonly causes: { readonly field: string; readonly reason: string; readonly message: string }[];
    };
  };
}

async function admit(webhook: AdmissionWebhook, request: object): Promise<Response> {
  const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: { uid: "u", ...request } };
  const { signal } = new AbortController();
  const { body, status, failures } = await handleAdmissionReview(webhook, Buffer.from(JSON.stringify(review)), {
    signal,
  });
  assert.equal(status, 200, body);
  assert.deepEqual(failures ?? [], []);
  return (JSON.parse(body) as { response: Response }).response;
}

const nothingThere: ReadNamespace = async () => undefined;

const gate = (readNamespace: ReadNamespace = nothingThere): AdmissionWebhook =>
  tenantWebhook({ settings: () => defaultSettings, readNamespace });

const namespace = (metadata: Namespace["metadata"]): ReadNamespace => {
  return async (name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name, ...metadata } });
};

describe("the validating webhook", () => {
  it("has the documented path, name and operations", () => {
    const { path, name, operations } = gate();

    assert.deepEqual(
      { path, name, operations },
      { path: "/validate-neurallog-io-v1-tenant", name: "vtenant.kb.io", operations: ["CREATE", "UPDATE", "DELETE"] },
    );
  });

  it("reports all problems in the format of the API server and as causes", async () => {
    const object = tenant({ "server.replicas": 0, "redis.config": { port: "1" }, "quota.counts": { pods: 1 } });

    const { allowed, status } = await admit(gate(), { operation: "CREATE", object });

    assert.equal(allowed, false);
    assert.equal(status?.code, 422);
    assert.equal(status.reason, "Invalid");
    assert.equal(
      status.message,
      'Tenant.neurallog.io "acme" is invalid: [spec.quota: Forbidden: requires spec.resources, ' +
        "spec.server.replicas: Invalid value: 0: server replicas must be at least 1, " +
        'spec.redis.config[port]: Invalid value: "port": port is managed by the operator]',
    );
    assert.deepEqual(
      status.details?.causes.map(({ field, reason }) => [field, reason]),
      [
        ["spec.quota", "FieldValueForbidden"],
        ["spec.server.replicas", "FieldValueInvalid"],
        ["spec.redis.config[port]", "FieldValueInvalid"],
      ],
    );
  });

  it("shows the beginning of a long value, and says what is supported", async () => {
    const object = tenant({ "server.logLevel": "\\".repeat(1_000_000) });

    const { status } = await admit(gate(), { operation: "CREATE", object });

    const shown = `${"\\\\".repeat(255)}…`;
    assert.equal(
      status?.details?.causes[0]?.message,
      `Unsupported value: "${shown}": supported values: "debug", "info", "warn", "error"`,
    );
  });

  it("reports a long value as new if only its end has changed", async () => {
    const [object, oldObject] = ["1", "2"].map((end) => tenant({ "server.logLevel": "x".repeat(300) + end }));

    assert.equal((await admit(gate(), { operation: "UPDATE", object, oldObject })).allowed, false);
    assert.equal((await admit(gate(), { operation: "UPDATE", object, oldObject: object })).allowed, true);
  });

  it("reports a single problem without brackets", async () => {
    const { status } = await admit(gate(), { operation: "CREATE", object: tenant({ version: "x" }) });

    assert.match(
      status?.message ?? "",
      /^Tenant\.neurallog\.io "acme" is invalid: spec\.version: Invalid value: "x": /,
    );
  });

  it("allows with warnings", async () => {
    const { allowed, warnings } = await admit(gate(), { operation: "CREATE", object: tenant() });

    assert.equal(allowed, true);
    assert.deepEqual(warnings, [
      "spec.server.image: uses the tag latest, which changes with every release; set a version",
    ]);
  });

  it("denies shrinking the storage", async () => {
    const request = {
      operation: "UPDATE",
      object: tenant({ "redis.storage": "1Gi" }),
      oldObject: tenant({ "redis.storage": "2Gi" }),
    };

    assert.match((await admit(gate(), request)).status?.message ?? "", /redis storage cannot shrink/);
  });

  it("allows removing the finalizer of a deleted tenant with an invalid spec", async () => {
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    const oldObject = tenant(
      { "server.replicas": 0 },
      { deletionTimestamp, finalizers: ["tenant.neurallog.io/finalizer"] },
    );
    const object = tenant({ "server.replicas": 0 }, { deletionTimestamp });

    assert.equal((await admit(gate(), { operation: "UPDATE", object, oldObject })).allowed, true);
  });

  it("denies the deletion of protected tenants only", async () => {
    const remove = (oldObject: Tenant): Promise<Response> => admit(gate(), { operation: "DELETE", oldObject });

    const { status } = await remove(tenant({ deletionProtection: true }));
    const free = await remove(tenant({ "server.replicas": 0 }));

    assert.deepEqual(status, {
      status: "Failure",
      code: 403,
      reason: "Forbidden",
      message: "tenant is protected from deletion; set spec.deletionProtection to false first",
    });
    assert.equal(free.allowed, true);
  });
});

describe("a new tenant whose namespace exists", () => {
  const create = { operation: "CREATE", object: tenant() };

  it("is denied when the namespace is foreign", async () => {
    const { status } = await admit(gate(namespace({ labels: { "neurallog.io/tenant": "acme" } })), create);

    assert.equal(status?.code, 409);
    assert.equal(status.reason, "Conflict");
    assert.equal(status.message, 'namespace "tenant-acme" already exists and is not owned by this Tenant');
  });

  it("is denied when consent names another tenant", async () => {
    const { status } = await admit(
      gate(namespace({ annotations: { "neurallog.io/allow-adoption": "globex" } })),
      create,
    );

    assert.equal(status?.code, 409);
  });

  it("is allowed with consent, or when the namespace is terminating", async () => {
    const consent = namespace({ annotations: { "neurallog.io/allow-adoption": "acme" } });
    const leaving = namespace({ deletionTimestamp: "2026-01-01T00:00:00Z" });

    assert.equal((await admit(gate(consent), create)).allowed, true);
    assert.equal((await admit(gate(leaving), create)).allowed, true);
  });

  it("is allowed when the namespace cannot be read", async () => {
    const failing = gate(async () => {
      throw new Error("no connection");
    });

    assert.equal((await admit(failing, create)).allowed, true);
  });

  it("reports problems of the spec first", async () => {
    const { status } = await admit(gate(namespace({})), { operation: "CREATE", object: tenant({ version: "x" }) });

    assert.equal(status?.code, 422);
  });

  it("is not checked on update", async () => {
    const request = { operation: "UPDATE", object: tenant({ displayName: "A" }), oldObject: tenant() };

    assert.equal((await admit(gate(namespace({})), request)).allowed, true);
  });
});

describe("the defaulting webhook", () => {
  const defaulting = defaultingWebhook(defaultSettings);
  const bare = { apiVersion: "neurallog.io/v1", kind: "Tenant", metadata: { name: "acme" } };

  async function patched(object: object): Promise<object> {
    const { patch } = await admit(defaulting, { operation: "CREATE", object });
    const operations = JSON.parse(Buffer.from(patch ?? "W10=", "base64").toString()) as JsonPatchOperation[];
    return applyJsonPatch(object, operations) as object;
  }

  const complete = {
    server: { replicas: 1, image: "neurallog/server:latest" },
    redis: { replicas: 1, image: "redis:7-alpine", storage: "1Gi" },
    networkPolicy: { enabled: true },
  };

  it("has the documented path, name and operations", () => {
    const { path, name, operations } = defaulting;

    assert.deepEqual(
      { path, name, operations },
      { path: "/mutate-neurallog-io-v1-tenant", name: "mtenant.kb.io", operations: ["CREATE", "UPDATE"] },
    );
  });

  it("sets the persisted defaults only", async () => {
    assert.deepEqual(await patched(bare), { ...bare, spec: complete });
    assert.deepEqual(await patched({ ...bare, spec: {} }), { ...bare, spec: complete });
    assert.deepEqual(await patched({ ...bare, spec: { server: {}, redis: {} } }), { ...bare, spec: complete });
  });

  it("changes no existing field", async () => {
    const spec = {
      server: { replicas: 3, image: "a:1", logLevel: "warn" },
      redis: { storage: "9Gi" },
      networkPolicy: { enabled: false },
    };

    assert.deepEqual(await patched({ ...bare, spec }), {
      ...bare,
      spec: { ...spec, redis: { storage: "9Gi", replicas: 1, image: "redis:7-alpine" } },
    });
  });

  it("is idempotent", async () => {
    const { patch } = await admit(defaulting, { operation: "CREATE", object: await patched(bare) });

    assert.equal(patch, undefined);
  });

  it("uses the operator's default images", () => {
    const images = { defaultServerImage: "r.example.com/s:1", defaultRedisImage: "r.example.com/r:7" };

    assert.deepEqual(defaultsOf({ spec: complete }, images), []);
    assert.deepEqual(defaultsOf({ spec: { ...complete, server: { replicas: 1 } } }, images), [
      { op: "add", path: "/spec/server/image", value: "r.example.com/s:1" },
    ]);
  });

  it("leaves values of another type to the schema", () => {
    for (const spec of [5, [], "x", { server: "x", redis: 1, networkPolicy: [] }]) {
      assert.deepEqual(defaultsOf({ spec }, defaultSettings), []);
    }
  });
});
