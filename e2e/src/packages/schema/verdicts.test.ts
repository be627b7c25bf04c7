// The API server and our own engine get the same resources and the same objects, and must say the same about them.

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
import { type Answer, Api } from "../../harness/api.ts";
import { reasonToSkip, shareCluster } from "../../harness/cluster.ts";
import { volume } from "../../harness/volume.ts";
import { type Attempt, ourVerdict, read, serverVerdict, unknownFields } from "./compare.ts";
import { generate, type Mood } from "./generate.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/** Objects per served version of each resource. With the versions of the sample resources, the full volume is well over two thousand. */
const creates = volume({ sample: 60, full: 150 });
const updates = volume({ sample: 24, full: 60 });
const moods: readonly Mood[] = [
  { mistake: 0, present: 0.8 },
  { mistake: 0.03, present: 0.7 },
  { mistake: 0.15, present: 0.5 },
  { mistake: 0, present: 0.1 },
];

const skip = (await reasonToSkip({ need: "apiserver" })) ?? false;
let cluster: Awaited<ReturnType<typeof shareCluster>>;
let api: Api;
const answers = new Map<Resource, Answer>();

before(async () => {
  if (skip !== false) return;
  cluster = await shareCluster();
  api = new Api(cluster);
  // All at once: the first object of a resource waits two seconds while the resource is new.
  for (const resource of sampleResources) answers.set(resource, await api.send("POST", definitions, resource.crd()));
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
    it("is accepted without a warning and read back as it was written", async () => {
      const answer = answers.get(resource);

      assert.equal(answer?.status, 201, JSON.stringify(read(answer?.body, "message")));
      assert.deepEqual(answer?.warnings, []);
      const stored = await established(manifest);
      assert.deepEqual(missingFrom(stored, manifest, ""), [], "what we wrote and the server does not show");
      assert.deepEqual(
        extraIn(stored, manifest, ""),
        [],
        "what the server shows and neither we wrote nor it adds to every CRD",
      );
    });

    for (const version of Object.values<ResourceVersion>(resource.versions).filter(({ version: name }) =>
      served.includes(name),
    )) {
      it(`${version.version}: gives the same verdict on ${creates} objects that are created`, async () => {
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
        assert.ok(accepted > 0, "at least one object is accepted, or nothing was compared but errors");
      });

      it(`${version.version}: gives the same verdict on ${updates} updates`, async () => {
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

      it(`${version.version}: names the same unknown fields`, async () => {
        const random = new SeededRandom(`${resource.kind}/${version.version}/strict`);
        const engine = compileSchema(version.schema);

        for (let n = 0; n < 20; n += 1) {
          const attempt: Attempt = { body: objectOf(version, random, n) };
          const theirs = await unknownFields(api, collection(resource, version), attempt);

          // The server stops at the first kind of mistake; where it complains of something else it names no fields.
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

/** Waits until the server serves a new resource; the real one takes a moment. */
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
  const mood = moods[n % moods.length] ?? { mistake: 0, present: 1 };
  const { metadata: _, apiVersion: __, kind: ___, ...properties } = version.schema.properties ?? {};
  const body = generate({ ...version.schema, properties }, random, mood);
  const metadata = { name: `object-${n}`, ...(n % 3 === 0 ? { labels: { a: "b" } } : {}) };
  return { ...(isRecord(body) ? body : {}), apiVersion: version.apiVersion, kind: version.kind, metadata };
}

/** A stored object to update: the first generated one that the server takes. */
async function stored(resource: Resource, version: ResourceVersion, random: Random): Promise<Record<string, unknown>> {
  for (let n = 0; n < 200; n += 1) {
    const body = {
      ...objectOf(version, random, n * moods.length + (n % 2) * 3),
      metadata: { name: `base-${version.version}` },
    };
    const answer = await api.send("POST", `${collection(resource, version)}?fieldValidation=Ignore`, body);
    if (answer.status === 201 && isRecord(answer.body)) return answer.body;
  }
  throw new Error(`none of 200 generated objects of ${resource.kind} ${version.version} was accepted`);
}

/** An update: some top-level parts and some fields of the spec from another object, the rest as it was. */
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

/** Paths of what is in `wanted` but not in `found`. */
function missingFrom(found: unknown, wanted: unknown, path: string): string[] {
  if (Array.isArray(wanted))
    return wanted.flatMap((item, index) =>
      missingFrom(Array.isArray(found) ? found[index] : undefined, item, `${path}[${index}]`),
    );
  if (isRecord(wanted))
    return Object.keys(wanted).flatMap((key) => missingFrom(read(found, key), wanted[key], `${path}.${key}`));
  return JSON.stringify(found) === JSON.stringify(wanted)
    ? []
    : [`${path}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`];
}

const added = [
  /^\.status$/,
  /^\.metadata\.(uid|resourceVersion|generation|creationTimestamp|managedFields)$/,
  /^\.spec\.conversion$/,
  /^\.spec\.names\.listKind$/,
];

/** Paths of what is in `found` but not in `wanted`, save what the server adds to every CRD. */
function extraIn(found: unknown, wanted: unknown, path: string): string[] {
  if (added.some((pattern) => pattern.test(path))) return [];
  if (Array.isArray(found))
    return found.flatMap((item, index) =>
      extraIn(item, Array.isArray(wanted) ? wanted[index] : undefined, `${path}[${index}]`),
    );
  if (isRecord(found))
    return Object.keys(found).flatMap((key) => extraIn(found[key], read(wanted, key), `${path}.${key}`));
  return wanted === undefined ? [path] : [];
}

function isRecord(value: unknown): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
