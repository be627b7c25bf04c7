// Random writes to the sample resources of the schema package, on a real server and on ours.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isRecord, type JsonRecord, type Random, SeededRandom } from "@homeostat/core";
import type { Json, Resource, ResourceVersion } from "@homeostat/schema";
import { sampleResources } from "@homeostat/schema/testing";
import { apply, del, get, patch, post, type RequestStep, until } from "../cases/case.ts";
import { reasonToSkip } from "../../../harness/cluster.ts";
import { generate } from "../../schema/generate.ts";
import { volume } from "../../../harness/volume.ts";
import { differences } from "./compare.ts";
import { type Servers, startServers } from "./servers.ts";

const skip = (await reasonToSkip({ need: "apiserver" })) ?? false;
const seed = process.env["HOMEOSTAT_SEED"] ?? "1";
/** Number of objects per resource, and number of writes per object. */
const lives = volume({ sample: 1, full: 3 }, "HOMEOSTAT_ROUNDS");
const writes = 12;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const validationModes = ["Strict", "Warn", "Ignore"];

describe("random writes to custom resources, compared with a real server", { skip }, () => {
  let servers: Servers;

  before(async () => {
    servers = await startServers();
    const steps = sampleResources.flatMap((resource) => {
      const path = `/apis/${resource.group}/${resource.version}/${resource.names.plural}`;
      return [post(definitions, resource.crd()), until(path)];
    });
    const found = await differences(servers, { name: "gallery", steps }, { isBusy: true });
    assert.deepEqual(found, []);
  });

  after(() => servers.close());

  for (const resource of sampleResources) {
    it(`${resource.kind} (${resource.names.plural})`, async () => {
      for (let life = 0; life < lives; life += 1) {
        const random = new SeededRandom(`${seed}/${resource.names.plural}/${life}`);
        const steps = history(resource, random, `r${life}`);

        const found = await differences(servers, { name: `seed ${seed}, life ${life}`, steps }, { isBusy: true });

        assert.equal(found.length, 0, `${found.length} of ${steps.length} differ\n${found.slice(0, 2).join("\n\n")}`);
      }
    });
  }
});

/** Returns the steps of one object from creation to deletion. */
function history(resource: Resource, random: Random, name: string): RequestStep[] {
  const served = servedVersions(resource);
  const steps: RequestStep[] = [];
  for (let write = 0; write < writes; write += 1) {
    const version = served[random.int(served.length)];
    if (version === undefined) continue;
    steps.push(randomWrite(resource, version, random, name));
    if (random.int(4) === 0) steps.push(get(pathOf(resource, version, name)));
  }
  const [first] = served;
  if (first !== undefined) steps.push(get(pathOf(resource, first, name)), del(pathOf(resource, first, name)));
  return steps;
}

function servedVersions(resource: Resource): ResourceVersion[] {
  const served = resource.crd().spec.versions.filter((each) => each.served);
  return Object.values<ResourceVersion>(resource.versions).filter(({ version }) =>
    served.some((each) => each.name === version),
  );
}

function pathOf(resource: Resource, { version }: ResourceVersion, name = ""): string {
  const namespace = resource.scope === "Namespaced" ? "/namespaces/{ns}" : "";
  const collection = `/apis/${resource.group}/${version}${namespace}/${resource.names.plural}`;
  return name === "" ? collection : `${collection}/${name}`;
}

function randomWrite(resource: Resource, version: ResourceVersion, random: Random, name: string): RequestStep {
  const body = randomObject(version, random, name);
  const validationQuery = `fieldValidation=${validationModes[random.int(validationModes.length)]}`;
  const path = pathOf(resource, version, name);
  const part = version.hasStatus && random.int(4) === 0 ? "/status" : "";
  switch (random.int(5)) {
    case 0:
      return post(`${pathOf(resource, version)}?${validationQuery}`, body);
    case 1:
      return patch("merge", `${path}${part}?${validationQuery}`, { spec: body["spec"], status: body["status"] });
    case 2: {
      const field = random.int(2) === 0 ? "spec" : "status";
      return patch("json", `${path}${part}?${validationQuery}`, [
        { op: "add", path: `/${field}`, value: body[field] ?? {} },
      ]);
    }
    default: {
      const manager = ["one", "two", "three"][random.int(3)] ?? "one";
      return apply(`${path}${part}?${validationQuery}`, manager, body, { force: random.int(2) === 0 });
    }
  }
}

/** Returns a valid object, or one with a few invalid values. */
function randomObject(version: ResourceVersion, random: Random, name: string): JsonRecord {
  const mistake = [0, 0, 0.03, 0.15][random.int(4)] ?? 0;
  const { metadata: _, apiVersion: __, kind: ___, ...properties } = version.schema.properties ?? {};
  const body: Json = generate({ ...version.schema, properties }, random, { mistake, present: 0.3 + random.next() / 2 });
  return {
    ...(isRecord(body) ? body : {}),
    apiVersion: version.apiVersion,
    kind: version.kind,
    metadata: { name, ...(random.int(3) === 0 ? { labels: { a: String(random.int(3)) } } : {}) },
  };
}
