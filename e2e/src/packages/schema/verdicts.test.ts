// Gives the same resources and objects to the API server and to the schema package, and compares the verdicts.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Random, SeededRandom } from "@homeostat/core";
import { sampleResources } from "@homeostat/schema/testing";
import {
  compileSchema,
  type CustomResourceDefinition,
  type Json,
  type Resource,
  type ResourceVersion,
} from "@homeostat/schema";
import { type ApiResponse, Api } from "../../harness/api.ts";
import { reasonToSkip, shareCluster } from "../../harness/cluster.ts";
import { volume } from "../../harness/volume.ts";
import { type Attempt, ourVerdict, read, serverVerdict, unknownFields } from "./compare.ts";
import { generate, type Probabilities } from "./generate.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/** Objects per served version of each resource. With the versions of the sample resources, the full volume is well over two thousand. */
const creates = volume({ sample: 60, full: 150 });
const updates = volume({ sample: 24, full: 60 });
const variants: readonly Probabilities[] = [
  { mistake: 0, present: 0.8 },
  { mistake: 0.03, present: 0.7 },
  { mistake: 0.15, present: 0.5 },
  { mistake: 0, present: 0.1 },
];

const skip = (await reasonToSkip({ need: "apiserver" })) ?? false;
let cluster: Awaited<ReturnType<typeof shareCluster>>;
let api: Api;
const responses = new Map<Resource, ApiResponse>();

before(async () => {
  if (skip !== false) return;
  cluster = await shareCluster();
  api = new Api(cluster);
  // In parallel: the first object of a resource waits two seconds while the resource is new.
  for (const resource of sampleResources) responses.set(resource, await api.send("POST", definitions, resource.crd()));
});
after(async () => {
  if (skip !== false) return;
  for (const resource of sampleResources) await api.send("DELETE", `${definitions}/${resource.crd().metadata.name}`);
  api.close();
  await cluster.stop();
});

for (const resource of sampleResources) {
  const manifest = resource.crd();
  const served = manifest.spec.versions.filter(({ served: isServed }) => isServed).map(({ name }) => name);
  describe(`${resource.kind} (${resource.names.plural})`, { skip }, () => {
    it("is accepted without a warning and returned as it was written", async () => {
      const response = responses.get(resource);

      assert.equal(response?.status, 201, JSON.stringify(read(response?.body, "message")));
      assert.deepEqual(response?.warnings, []);
      const stored = await established(manifest);
      assert.deepEqual(missingFrom(stored, manifest, ""), [], "fields that the server does not return");
      assert.deepEqual(extraIn(stored, manifest, ""), [], "fields that the server added unexpectedly");
    });

    for (const version of Object.values<ResourceVersion>(resource.versions).filter(({ version: name }) =>
      served.includes(name),
    )) {
      it(`${version.version}: has the same verdict for ${creates} created objects`, async () => {
        const random = new SeededRandom(`${resource.kind}/${version.version}/create`);
        const differences: string[] = [];
        let accepted = 0;

        for (let n = 0; n < creates; n += 1) {
          const attempt: Attempt = { body: objectOf(version, random, n) };
          const ours = ourVerdict(version, attempt);
          const theirs = await serverVerdict(api, collection(resource, version), attempt);
          accepted += "stored" in theirs ? 1 : 0;
          compare(differences, attempt, ours, theirs);
        }

        assert.deepEqual(differences.slice(0, 3), [], `${differences.length} of ${creates} differ`);
        assert.ok(accepted > 0, "no object was accepted, so only errors were compared");
      });

      it(`${version.version}: has the same verdict for ${updates} updates`, async () => {
        const random = new SeededRandom(`${resource.kind}/${version.version}/update`);
        const differences: string[] = [];
        const old = await stored(resource, version, random);

        for (let n = 0; n < updates; n += 1) {
          const attempt: Attempt = { body: changed(old, objectOf(version, random, n), random), old };
          compare(
            differences,
            attempt,
            ourVerdict(version, attempt),
            await serverVerdict(api, collection(resource, version), attempt),
          );
        }

        assert.deepEqual(differences.slice(0, 3), [], `${differences.length} of ${updates} differ`);
      });

      it(`${version.version}: has the same unknown fields`, async () => {
        const random = new SeededRandom(`${resource.kind}/${version.version}/strict`);
        const engine = compileSchema(version.schema);

        for (let n = 0; n < 20; n += 1) {
          const attempt: Attempt = { body: objectOf(version, random, n) };
          const theirs = await unknownFields(api, collection(resource, version), attempt);

          // The server stops at the first kind of error; other errors do not name fields.
          if (theirs.length > 0)
            assert.deepEqual(engine.prune(attempt.body).dropped.toSorted(), theirs, JSON.stringify(attempt.body));
        }
      });
    }
  });
}

function collection(resource: Resource, version: ResourceVersion): string {
  const namespace = resource.scope === "Namespaced" ? "/namespaces/default" : "";
  return `/apis/${resource.group}/${version.version}${namespace}/${resource.names.plural}`;
}

/** Waits until the server serves a new resource. */
async function established(manifest: CustomResourceDefinition): Promise<unknown> {
  for (let tries = 0; tries < 100; tries += 1) {
    const { body } = await api.send("GET", `${definitions}/${manifest.metadata.name}`);
    const conditions = read(read(body, "status"), "conditions");
    const isReady =
      Array.isArray(conditions) &&
      conditions.some((each) => read(each, "type") === "Established" && read(each, "status") === "True");
    if (isReady) return body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${manifest.metadata.name} was not established within 5 s`);
}

function objectOf(version: ResourceVersion, random: Random, n: number): Record<string, Json> {
  const probabilities = variants[n % variants.length] ?? { mistake: 0, present: 1 };
  const { metadata: _, apiVersion: __, kind: ___, ...properties } = version.schema.properties ?? {};
  const body = generate({ ...version.schema, properties }, random, probabilities);
  const metadata = { name: `object-${n}`, ...(n % 3 === 0 ? { labels: { a: "b" } } : {}) };
  return { ...(isRecord(body) ? body : {}), apiVersion: version.apiVersion, kind: version.kind, metadata };
}

/** Returns a stored object to update: the first generated one that the server accepts. */
async function stored(resource: Resource, version: ResourceVersion, random: Random): Promise<Record<string, unknown>> {
  for (let n = 0; n < 200; n += 1) {
    const body = {
      ...objectOf(version, random, n * variants.length + (n % 2) * 3),
      metadata: { name: `base-${version.version}` },
    };
    const response = await api.send("POST", `${collection(resource, version)}?fieldValidation=Ignore`, body);
    if (response.status === 201 && isRecord(response.body)) return response.body;
  }
  throw new Error(`none of 200 generated objects of ${resource.kind} ${version.version} was accepted`);
}

/** Returns an update: some top-level fields and spec fields of another object, the rest unchanged. */
function changed(old: Record<string, unknown>, other: Record<string, Json>, random: Random): Record<string, Json> {
  const next = structuredClone(old) as Record<string, Json>;
  const spec = next["spec"];
  const otherSpec = other["spec"];
  if (isRecord(spec) && isRecord(otherSpec)) {
    const merged: Record<string, Json> = Object.fromEntries(Object.entries(spec));
    for (const [key, value] of Object.entries(otherSpec)) if (random.next() < 0.5) merged[key] = value;
    for (const key of Object.keys(spec)) if (random.next() < 0.1) delete merged[key];
    next["spec"] = merged;
  } else if (otherSpec !== undefined) next["spec"] = otherSpec;
  return next;
}

function compare(differences: string[], { body, old }: Attempt, ours: unknown, theirs: unknown): void {
  const [a, b] = [JSON.stringify(ours), JSON.stringify(theirs)];
  if (a === b) return;
  differences.push(
    `${old === undefined ? "create" : `update of ${JSON.stringify(old["spec"])} with`} ${JSON.stringify(body)}\n  ours:   ${a}\n  server: ${b}`,
  );
}

/** Returns the paths that are in `wanted` but not in `found`. */
function missingFrom(found: unknown, expected: unknown, path: string): string[] {
  if (Array.isArray(expected))
    return expected.flatMap((item, index) =>
      missingFrom(Array.isArray(found) ? found[index] : undefined, item, `${path}[${index}]`),
    );
  if (isRecord(expected))
    return Object.keys(expected).flatMap((key) => missingFrom(read(found, key), expected[key], `${path}.${key}`));
  return JSON.stringify(found) === JSON.stringify(expected)
    ? []
    : [`${path}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`];
}

const added = [
  /^\.status$/,
  /^\.metadata\.(uid|resourceVersion|generation|creationTimestamp|managedFields)$/,
  /^\.spec\.conversion$/,
  /^\.spec\.names\.listKind$/,
];

/** Returns the paths that are in `found` but not in `wanted`, except those that the server adds to every CRD. */
function extraIn(found: unknown, expected: unknown, path: string): string[] {
  if (added.some((pattern) => pattern.test(path))) return [];
  if (Array.isArray(found))
    return found.flatMap((item, index) =>
      extraIn(item, Array.isArray(expected) ? expected[index] : undefined, `${path}[${index}]`),
    );
  if (isRecord(found))
    return Object.keys(found).flatMap((key) => extraIn(found[key], read(expected, key), `${path}.${key}`));
  return expected === undefined ? [path] : [];
}

function isRecord(value: unknown): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
