// Restores the recorded objects of the Go operator in an API server: LocustTests with their status, Jobs and Services.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@homeostat/client";
import type { KubeObject } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Service } from "@homeostat/kubernetes/core/v1";
import { LocustTest, type LocustTestSpec, type LocustTestStatus } from "@homeostat/locust-operator";
import { repository } from "../../../harness/repository.ts";

/** A recording of the Go operator. */
export interface Recording {
  readonly tests: readonly RecordedTest[];
  readonly services: readonly Pick<Service, "metadata" | "spec">[];
  readonly jobs: readonly Required<Pick<Job, "metadata" | "spec" | "status">>[];
}

/** A LocustTest as the Go operator left it. */
export interface RecordedTest {
  readonly metadata: { readonly name: string; readonly generation: number; readonly finalizers: string[] };
  readonly spec: LocustTestSpec;
  readonly status: LocustTestStatus;
}

const file = join(repository, "operators/locust/src/testing/vectors/go-operator.json");

/** The recording. */
export const recording = JSON.parse(readFileSync(file, "utf8")) as Recording;

/** Namespace of the recording. */
export const namespace = "perf";

/** Metadata that stays the same while an object is not written. */
export interface ObjectVersion {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Creates everything that the Go operator had created in the namespace. */
export async function restoreObjects(client: Client): Promise<void> {
  for (const test of recording.tests) await playTest(client, test);
}

async function playTest(client: Client, { metadata, spec, status }: RecordedTest): Promise<void> {
  const { name, generation, finalizers } = metadata;
  const key = { namespace, name };
  const head = { apiVersion: "locust.io/v2", kind: "LocustTest" } as const;
  // A generation counts changes of the spec: each write is one, and the last one restores the recorded spec.
  const specAt = (at: number): LocustTestSpec => (at === generation ? spec : { ...spec, image: `image-${at}` });
  let test = await client.create(LocustTest, { ...head, metadata: { ...key, finalizers }, spec: specAt(1) });
  for (let at = 2; at <= generation; at += 1) {
    test = await client.update(LocustTest, { ...test, spec: specAt(at) });
  }
  await client.update(LocustTest, { ...test, status }, { subresource: "status" });
  const owned = ({ metadata: meta }: { metadata: KubeObject["metadata"] }): boolean =>
    meta.ownerReferences?.[0]?.name === name;
  const ownedBy = (meta: KubeObject["metadata"]): KubeObject["metadata"] => {
    const { generation: _, ...kept } = meta;
    const uid = test.metadata.uid ?? "";
    return { ...kept, namespace, ownerReferences: meta.ownerReferences?.map((owner) => ({ ...owner, uid })) ?? [] };
  };
  for (const each of recording.services.filter(owned)) {
    await client.create(Service, { apiVersion: "v1", kind: "Service", ...each, metadata: ownedBy(each.metadata) });
  }
  for (const each of recording.jobs.filter(owned)) {
    const job = await client.create(Job, {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: ownedBy(each.metadata),
      spec: each.spec,
    });
    await client.update(Job, { ...job, status: each.status }, { subresource: "status" });
  }
}

/** Returns the Services and Jobs with the metadata that every write changes. */
export async function objectVersions(client: Client): Promise<ObjectVersion[]> {
  const lists = [(await client.list(Service, { namespace })).items, (await client.list(Job, { namespace })).items];
  return lists
    .flat()
    .map(({ kind, metadata: { name = "", uid = "", resourceVersion = "" } }) => ({ kind, name, uid, resourceVersion }))
    .toSorted((a, b) => (`${a.kind} ${a.name}` < `${b.kind} ${b.name}` ? -1 : 1));
}
