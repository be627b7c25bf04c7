// Admission requests to a webhook with a cluster of the test's choice.

import type { AdmissionWebhook } from "homeostat";
import { FakeClock } from "@homeostat/core";
import { handleAdmissionReview } from "@homeostat/webhook";
import { defaultConfig } from "../settings/config.ts";
import type { WebhookTools } from "../webhooks/admission.ts";
import type { ClusterReader } from "../webhooks/cluster-reader.ts";
import { namespace, policyWith, type sandboxWith } from "./objects.ts";

/** A reader of a cluster with one namespace and one policy, in which everything is allowed. It records its calls. */
export function readerWith(changes: Partial<ClusterReader> = {}): { reader: ClusterReader; calls: string[] } {
  const calls: string[] = [];
  const reader: ClusterReader = {
    namespaceLabels: async () => ({}),
    policies: async () => [policyWith()],
    workload: async () => undefined,
    services: async () => [],
    hasService: async () => true,
    sandbox: async () => undefined,
    sandboxes: async () => [],
    routeGroups: async () => [],
    review: async () => ({ isAllowed: true, isDenied: false, reason: "", evaluationError: "" }),
    ...changes,
  };
  const recorded = new Proxy(reader, {
    get: (target, name: keyof ClusterReader) => {
      calls.push(name);
      return target[name];
    },
  });
  return { reader: recorded, calls };
}

/** The response to an admission request. */
export interface Answer {
  readonly allowed: boolean;
  readonly warnings: readonly string[];
  readonly code: number | undefined;
  readonly message: string;
}

/** Sends an admission request of user jane to a webhook. */
export async function admit(
  webhook: AdmissionWebhook,
  object: object,
  { oldObject, dryRun = false }: { readonly oldObject?: object; readonly dryRun?: boolean } = {},
): Promise<Answer> {
  const request = {
    uid: "1",
    namespace,
    name: "a",
    operation: oldObject === undefined ? "CREATE" : "UPDATE",
    userInfo: { username: "jane", groups: ["devs"] },
    object,
    dryRun,
    ...(oldObject !== undefined && { oldObject }),
  };
  const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
  const { signal } = new AbortController();
  const { body } = await handleAdmissionReview(webhook, Buffer.from(JSON.stringify(review)), { signal });
  const { response } = JSON.parse(body) as {
    response: { allowed: boolean; warnings?: string[]; status?: { code: number; message: string } };
  };
  const { allowed, warnings = [], status } = response;
  return { allowed, warnings, code: status?.code, message: status?.message ?? "" };
}

/** Returns the dependencies of a webhook. */
export const toolsWith = (reader: ClusterReader, clock = new FakeClock()): WebhookTools => ({
  config: () => defaultConfig,
  reader,
  clock,
});

/** Returns an object as the API server sends it to webhooks when it is created. */
export const withoutStatus = ({ apiVersion, kind, metadata, spec }: ReturnType<typeof sandboxWith>): object => ({
  apiVersion,
  kind,
  metadata,
  spec,
});
