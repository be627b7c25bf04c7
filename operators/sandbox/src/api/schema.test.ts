import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Client, createClient } from "@homeostat/client";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { ApiError, isList, isRecord, type KubeObject, ownValue, type ResourceType } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { assertGolden } from "@homeostat/operator-testing";
import { toYaml } from "@homeostat/schema";
import type { SchemaCase, TestedKind } from "../testing/schema-case.ts";
import { schemaCases, updateCases } from "../testing/schema-cases.ts";
import { kinds } from "./kinds.ts";

const typeOf = (kind: TestedKind): ResourceType => kinds[kind];

function objectOf({ kind, name = "a", spec }: Pick<SchemaCase, "kind" | "name" | "spec">): KubeObject {
  const { group, version } = typeOf(kind);
  const object = { apiVersion: `${group}/${version}`, kind, metadata: { name, namespace: "default" }, spec };
  return structuredClone(object);
}

function at(value: unknown, path: string): unknown {
  return path.split(".").reduce((inner: unknown, step) => {
    if (isList(inner)) return inner[Number(step)];
    return isRecord(inner) ? ownValue(inner, step) : undefined;
  }, value);
}

describe("the definitions", () => {
  for (const [kind, resource] of Object.entries(kinds)) {
    it(`are the golden CRDs (${kind})`, () => {
      assertGolden(new URL("../../golden/", import.meta.url), `crd-${kind.toLowerCase()}`, toYaml(resource.crd()));
    });

    it(`describe every field for kubectl explain (${kind})`, () => {
      const { properties = {} } = resource.crd().spec.versions[0]?.schema.openAPIV3Schema ?? {};

      const bare = [...undescribed(properties["spec"], "spec")];

      assert.deepEqual(bare, []);
    });
  }
});

interface Node {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
}

/** Fields whose types are part of Kubernetes and explained by its documentation. */
const ofKubernetes = /\.(?:selector|resources|valueFrom)$/;

/** Yields the fields of a spec without a description. */
function* undescribed(node: Node = {}, path: string): Iterable<string> {
  for (const [name, field] of Object.entries(node.properties ?? {})) {
    const at = `${path}.${name}`;
    if (field.description === undefined) yield at;
    // The ceilings of a sandbox are not the resources of a container.
    if (ofKubernetes.test(at) && at !== "spec.resources") continue;
    yield* undescribed(field, at);
    yield* undescribed(field.items, `${at}[]`);
  }
}

describe("the schemas on the embedded API server", () => {
  let cluster: Cluster;
  let client: Client;

  before(async () => {
    cluster = await startCluster({ parts: "api" });
    client = createClient(cluster.connection());
    for (const resource of Object.values(kinds)) {
      await client.create(CustomResourceDefinition, structuredClone(resource.crd()));
    }
  });
  after(async () => {
    client[Symbol.dispose]();
    await cluster.stop();
  });

  for (const one of schemaCases) {
    const { kind, title, refused, expect = {} } = one;
    const create = async (): Promise<KubeObject> =>
      client.create(typeOf(kind), objectOf(one), { dryRun: true, fieldValidation: "Strict" });

    if (refused === undefined) {
      it(`accept a ${kind} that ${title}`, async () => {
        const stored = await create();

        for (const [path, value] of Object.entries(expect)) assert.deepEqual(at(stored, path) ?? null, value, path);
      });
    } else {
      it(`refuse a ${kind} that ${title}`, async () => {
        await assert.rejects(create(), (error) => {
          assert.ok(error instanceof ApiError);
          assert.ok(error.message.includes(refused), error.message);
          return true;
        });
      });
    }
  }

  for (const [index, { kind, title, before: from, after: to, refused }] of updateCases.entries()) {
    it(`${refused === undefined ? "accept" : "refuse"} that a ${kind} ${title}`, async () => {
      const name = `u${index}`;
      const stored = await client.create(typeOf(kind), objectOf({ kind, name, spec: from }));
      const changed = objectOf({ kind, name, spec: to });
      const { resourceVersion } = stored.metadata;
      const update = client.update(typeOf(kind), {
        ...changed,
        metadata: { ...changed.metadata, ...(resourceVersion !== undefined && { resourceVersion }) },
      });

      if (refused === undefined) await update;
      else await assert.rejects(update, (error) => error instanceof ApiError && error.message.includes(refused));
    });
  }

  it("give every condition type to new objects", async () => {
    const sandbox = await client.create(
      kinds.Sandbox,
      kinds.Sandbox.make({ metadata: { name: "new", namespace: "default" }, spec: {} }),
    );

    const { status } =
      (await client.get(kinds.Sandbox, { namespace: "default", name: sandbox.metadata.name ?? "" })) ?? {};

    assert.equal(status?.phase, "Pending");
    assert.deepEqual(
      status.conditions?.map(({ type, status: value, reason }) => `${type}=${value} ${reason}`),
      [
        "Ready",
        "Progressing",
        "Degraded",
        "Suspended",
        "ForksReady",
        "RoutesProgrammed",
        "BaselineInSync",
        "WithinQuota",
        "KeyUnique",
        "Expiring",
        "PropagationBroken",
      ].map((type) => `${type}=Unknown Pending`),
    );
  });
});
