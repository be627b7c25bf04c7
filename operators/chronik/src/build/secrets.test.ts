import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { resolvedFor } from "../testing/build-cases.ts";
import { secretHash, secretsOf } from "./secrets.ts";

const resolved = resolvedFor({
  searchNodes: 1,
  metastore: { database: "postgres" },
  storage: { backend: "gcs", gcs: { bucket: "bucket", credentialsSecret: "store" } },
  security: { tlsEnabled: true, tlsSecret: "tls" },
});

const data = {
  store: { "credentials.json": "c3RvcmU=" },
  tls: { "tls.crt": "Y3J0", "tls.key": "a2V5", unused: "eA==" },
  "chronik-postgres-secret": { password: "cA==", username: "dQ==" },
};

const hashOf = (component: "controller" | "ingest" | "search", secrets: typeof data): string | undefined => {
  const byName = new Map<string, Readonly<Record<string, string>>>(Object.entries(secrets));
  return secretHash(secretsOf(resolved, component), (name) => byName.get(name));
};

describe("secretsOf", () => {
  it("lists the Secrets of a component, sorted by name", () => {
    assert.deepEqual(
      secretsOf(resolved, "controller").map(({ name }) => name),
      ["chronik-postgres-secret", "tls"],
    );
    assert.deepEqual(
      secretsOf(resolved, "ingest").map(({ name }) => name),
      ["chronik-postgres-secret", "store", "tls"],
    );
  });
});

describe("secretHash", () => {
  it("is undefined for a component without Secrets", () => {
    assert.equal(
      secretHash(secretsOf(resolvedFor({}), "controller"), () => undefined),
      undefined,
    );
  });

  it("does not depend on the order of keys, or on keys that are not used", () => {
    const other = {
      "chronik-postgres-secret": { username: "dQ==", password: "cA==" },
      tls: { unused: "changed", "tls.key": "a2V5", "tls.crt": "Y3J0" },
      store: data.store,
    };

    assert.equal(hashOf("ingest", other), hashOf("ingest", data));
  });

  it("changes with a used key, only for the components that use it", () => {
    const rotated = { ...data, store: { "credentials.json": "bmV3" } };

    assert.equal(hashOf("controller", rotated), hashOf("controller", data));
    assert.notEqual(hashOf("ingest", rotated), hashOf("ingest", data));
    assert.notEqual(hashOf("search", rotated), hashOf("search", data));
  });

  it("differs if values are swapped between keys", () => {
    const swapped = { ...data, tls: { ...data.tls, "tls.crt": "a2V5", "tls.key": "Y3J0" } };

    assert.notEqual(hashOf("controller", swapped), hashOf("controller", data));
  });
});
