import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KubeObject, ObjectMeta, ObjectOf, ResourceType } from "@homeostat/core";
import type { BuiltInResource } from "./built-in-resource.ts";
import type { EmbeddedOf } from "./embedded-type.ts";
import type { CustomResourceDefinition, JSONSchemaProps } from "./generated/apiextensions/v1.ts";
import type { StatefulSetSpec } from "./generated/apps/v1.ts";
import { CronJob, Job, type JobSpec } from "./generated/batch/v1.ts";
import { Namespace, type Pod, type PodTemplateSpec, type RestartPolicy, Service } from "./generated/core/v1.ts";
import type { podTemplateSpec } from "./generated/core/v1/schemas.ts";
import type * as metaV1 from "./generated/meta/v1.ts";

/** True if the types are assignable to each other. */
type Same<A, B> = [A, B] extends [B, A] ? true : false;
type IsOptional<T, K extends keyof T> = Pick<T, K> extends Required<Pick<T, K>> ? false : true;

// region: job
const job: Job = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "load" },
  spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } } },
};
// endregion

describe("a kind", () => {
  it("is a type and a descriptor under one name", () => {
    const described: ResourceType<Job> = Job;
    const facts: [Same<ObjectOf<typeof Job>, Job>, Same<ObjectOf<typeof CronJob>, CronJob>] = [true, true];

    assert.equal(described.kind, job.kind);
    assert.ok(facts.every(Boolean));
  });

  it("is a KubeObject for code that knows no kinds", () => {
    const objects: KubeObject[] = [job];
    const resources: ResourceType[] = [Job, CronJob, Service];

    assert.equal(objects.length + resources.length, 4);
  });

  it("has its scope in its type", () => {
    const namespaced: BuiltInResource<Service, "Namespaced"> = Service;
    const cluster: "Cluster" = Namespace.scope;
    const confused: typeof Namespace extends BuiltInResource<Namespace, "Namespaced"> ? true : false = false;

    assert.equal(namespaced.scope, "Namespaced");
    assert.equal(cluster, "Cluster");
    assert.equal(confused, false);
  });

  it("has literal apiVersion and kind types", () => {
    const facts: [Same<Job["apiVersion"], "batch/v1">, Same<Pod["apiVersion"] | Pod["kind"], "v1" | "Pod">] = [
      true,
      true,
    ];

    assert.ok(facts.every(Boolean));
  });
});

describe("a field", () => {
  it("is required where the API requires it", () => {
    const required: [IsOptional<JobSpec, "template">, IsOptional<Job, "metadata">] = [false, false];
    const optional: [IsOptional<JobSpec, "parallelism">, IsOptional<Job, "status">] = [true, true];

    assert.ok(!required.some(Boolean) && optional.every(Boolean));
  });

  it("is an optional spec only when nothing in it is required", () => {
    const required: [IsOptional<Job, "spec">, IsOptional<Pod, "spec">] = [false, false];
    const optional: [IsOptional<Namespace, "spec">, IsOptional<PodTemplateSpec, "spec">] = [true, true];

    assert.ok(!required.some(Boolean) && optional.every(Boolean));
  });

  it("is a union where the API has an enum", () => {
    const exact: Same<RestartPolicy, "Always" | "Never" | "OnFailure"> = true;
    const policy: RestartPolicy | undefined = job.spec.template.spec?.restartPolicy;

    assert.ok(exact);
    assert.equal(policy, "Never");
  });

  it("may omit apiVersion and kind of an embedded object", () => {
    const claims: StatefulSetSpec["volumeClaimTemplates"] = [{ metadata: { name: "data" } }];

    assert.equal(claims.length, 1);
  });
});

describe("the types of meta/v1", () => {
  it("are those of @homeostat/core where it has them", () => {
    const facts: [Same<metaV1.ObjectMeta, ObjectMeta>, Same<Job["metadata"], ObjectMeta>] = [true, true];

    assert.ok(facts.every(Boolean));
  });

  it("describe the JSON form of Go wrapper types", () => {
    const facts: [
      Same<metaV1.Quantity, string | number>,
      Same<metaV1.IntOrString, number | string>,
      Same<metaV1.Time, string>,
      Same<metaV1.MicroTime, string>,
      Same<metaV1.RawExtension, unknown>,
    ] = [true, true, true, true, true];

    assert.ok(facts.every(Boolean));
  });
});

describe("a CustomResourceDefinition", () => {
  it("accepts a schema, and a schema or a boolean where either is allowed", () => {
    const schema: JSONSchemaProps = {
      type: "object",
      additionalProperties: false,
      items: [{ type: "string" }],
      "x-kubernetes-preserve-unknown-fields": true,
    };
    const versions: CustomResourceDefinition["spec"]["versions"] = [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } },
    ];

    assert.equal(versions.length, 1);
  });
});

describe("an embedded type", () => {
  it("carries its TypeScript type", () => {
    const exact: Same<EmbeddedOf<typeof podTemplateSpec>, PodTemplateSpec> = true;

    assert.ok(exact);
  });
});
