import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { resolveCluster } from "../build/resolve.ts";
import { clusterWith, type SpecInput } from "../testing/clusters.ts";
import { defaultSettings } from "../testing/default-settings.ts";
import { missingPrerequisites, prerequisitesOf, waitingComponents } from "./prerequisites.ts";

const resolved = (spec: SpecInput) => resolveCluster(clusterWith(spec), defaultSettings);

const spec: SpecInput = {
  searchNodes: 1,
  storage: { backend: "s3", storageClass: "fast", s3: { bucket: "bucket", region: "r", credentialsSecret: "s3" } },
  metastore: { database: "postgres" },
  security: {
    tlsEnabled: true,
    tlsSecret: "tls",
    mtlsEnabled: true,
    adminApiKeySecret: { name: "tls", key: "admin" },
  },
  env: [{ name: "A", valueFromSecret: { name: "mine", key: "a" } }],
};

const secrets: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "chronik-postgres-secret": { username: "dQ==", password: "cA==" },
  mine: { a: "YQ==" },
  s3: { "access-key": "YQ==", "secret-key": "cw==" },
  tls: { "tls.crt": "Yw==", "tls.key": "aw==", "ca.crt": "YQ==", admin: "eA==" },
};

const read =
  (changes: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = {}) =>
  (name: string): Readonly<Record<string, string>> | undefined =>
    name in changes ? changes[name] : secrets[name];

describe("prerequisitesOf", () => {
  it("lists every Secret once with the keys of all components, and the StorageClass", () => {
    assert.deepEqual(prerequisitesOf(resolved(spec)), {
      secrets: [
        { name: "chronik-postgres-secret", keys: ["password", "username"] },
        { name: "mine", keys: ["a"] },
        { name: "s3", keys: ["access-key", "secret-key"] },
        { name: "tls", keys: ["admin", "ca.crt", "tls.crt", "tls.key"] },
      ],
      storageClass: "fast",
    });
  });

  it("is empty for a cluster that refers to nothing", () => {
    assert.deepEqual(prerequisitesOf(resolved({})), { secrets: [], storageClass: undefined });
    assert.equal(prerequisitesOf(resolved({ storage: { storageClass: "" } })).storageClass, undefined);
  });
});

describe("missingPrerequisites", () => {
  const missing = (secretData = read(), hasStorageClass = true): string[] =>
    missingPrerequisites(prerequisitesOf(resolved(spec)), { secrets: secretData, hasStorageClass });

  it("reports nothing if all objects exist", () => assert.deepEqual(missing(), []));

  it("names every missing object and key", () => {
    const { username, ...withoutUser } = secrets["chronik-postgres-secret"] ?? {};
    const data = read({ s3: undefined, mine: { a: "" }, "chronik-postgres-secret": withoutUser });

    assert.deepEqual(missing(data, false), [
      'Secret "chronik-postgres-secret" has no key "username"',
      'Secret "mine" has no key "a"',
      'Secret "s3" not found',
      'StorageClass "fast" not found',
    ]);
    assert.equal(username, "dQ==");
  });

  it("names the components that wait", () => {
    assert.deepEqual(waitingComponents(resolved(spec), read()), []);
    assert.deepEqual(waitingComponents(resolved(spec), read({ s3: undefined })), ["ingest", "search"]);
    assert.deepEqual(waitingComponents(resolved(spec), read({ tls: {} })), ["controller", "ingest", "search"]);
  });
});
