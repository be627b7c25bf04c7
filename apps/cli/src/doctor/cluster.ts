// Checks of a cluster: whether the API server responds, who the user is, and what an operator needs there.

import type { Client } from "@homeostat/client";
import { formatGroupResource, HomeostatError, NotFoundError, type ResourceType } from "@homeostat/core";
import {
  ValidatingAdmissionPolicy,
  ValidatingWebhookConfiguration,
} from "@homeostat/kubernetes/admissionregistration/v1";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { SelfSubjectReview } from "@homeostat/kubernetes/authentication/v1";
import { Lease } from "@homeostat/kubernetes/coordination/v1";
import { Namespace, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { ClusterRole, ClusterRoleBinding } from "@homeostat/kubernetes/rbac/v1";
import type { Finding } from "./finding.ts";

/** Parts that the checks use. */
export interface ClusterChecks {
  readonly client: Client;
  /** Address of the API server, for messages. */
  readonly server: string;
  /** Returns the time of the API server minus that of this machine, in milliseconds; undefined if it is not known. */
  readonly clockOffsetMs: () => number | undefined;
  readonly signal: AbortSignal;
}

/** Oldest minor version of Kubernetes 1 whose CRDs support all validation rules that Homeostat writes. */
const oldestMinor = 30;
/** Difference of clocks beyond which leases and certificates are at risk, in milliseconds. */
const clockDifferenceMaxMs = 5_000;

/** Checks a cluster. Without a response of the API server, that is the only finding. */
export async function checkCluster({ client, server, clockOffsetMs, signal }: ClusterChecks): Promise<Finding[]> {
  let version: string;
  try {
    version = (await client.version({ signal })).gitVersion;
  } catch (error) {
    if (signal.aborted || !(error instanceof HomeostatError)) throw error;
    return [{ state: "problem", text: `The API server at ${server} does not respond: ${error.message}` }];
  }
  const { resources } = await client.discover({ signal });
  const findings = [
    versionFinding(version, server),
    clockFinding(clockOffsetMs()),
    await userFinding(client, signal),
    ...servedFindings(resources),
  ];
  return [...findings.filter((finding) => finding !== undefined), await installFinding(client, signal)];
}

function versionFinding(version: string, server: string): Finding {
  const minor = Number(/^v?1\.(\d+)/.exec(version)?.[1] ?? oldestMinor);
  return minor >= oldestMinor
    ? { state: "ok", text: `Kubernetes ${version} at ${server}` }
    : {
        state: "problem",
        text: `Kubernetes ${version} at ${server} is too old: the validation rules of CRDs need 1.${oldestMinor} or newer.`,
      };
}

function clockFinding(offsetMs: number | undefined): Finding | undefined {
  if (offsetMs === undefined) return undefined;
  const seconds = Math.round(Math.abs(offsetMs) / 1_000);
  return Math.abs(offsetMs) <= clockDifferenceMaxMs
    ? { state: "ok", text: "The clocks of this machine and of the API server agree" }
    : {
        state: "problem",
        text: `The clock of this machine is ${seconds} s ${offsetMs > 0 ? "behind" : "ahead of"} that of the API server: leases and certificates may be taken for expired. Synchronize it, for example with NTP.`,
      };
}

async function userFinding(client: Client, signal: AbortSignal): Promise<Finding | undefined> {
  try {
    const object = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview", metadata: {} } as const;
    const { status } = await client.create(SelfSubjectReview, object, { signal });
    const name = status?.userInfo?.username ?? "";
    return name === "" ? undefined : { state: "ok", text: `You are the user ${name}` };
  } catch (error) {
    // API servers before Kubernetes 1.28 do not have the kind.
    if (error instanceof NotFoundError) return undefined;
    if (signal.aborted || !(error instanceof HomeostatError)) throw error;
    return { state: "problem", text: `The API server does not accept your identity: ${error.message}` };
  }
}

/** A kind that the API server must serve. */
interface Need {
  readonly type: ResourceType;
  readonly use: string;
}

const needs: readonly Need[] = [
  { type: CustomResourceDefinition, use: "custom resources" },
  { type: Lease, use: "leader election" },
  { type: ValidatingWebhookConfiguration, use: "webhooks" },
  { type: ValidatingAdmissionPolicy, use: "the admission policies of the Tenant and Sandbox operators" },
];

/** Returns a problem for each kind that operators need and the API server does not serve. */
export function servedFindings(served: readonly Pick<ResourceType, "group" | "version" | "plural">[]): Finding[] {
  return needs
    .filter(
      ({ type: { group, version, plural } }) =>
        !served.some((one) => one.group === group && one.version === version && one.plural === plural),
    )
    .map(({ type, use }) => ({
      state: "problem",
      text: `The API server does not serve ${formatGroupResource(type)} in version ${type.version}: required for ${use}.`,
    }));
}

/** Kinds that manifests of operators contain. */
const installed: readonly ResourceType[] = [
  CustomResourceDefinition,
  Namespace,
  ServiceAccount,
  ClusterRole,
  ClusterRoleBinding,
  Deployment,
  ValidatingWebhookConfiguration,
];

async function installFinding(client: Client, signal: AbortSignal): Promise<Finding> {
  const reviews = await Promise.all(
    installed.map(async (type) => {
      const { isAllowed } = await client.reviewOwnAccess({ verb: "create", type }, { signal });
      return isAllowed ? [] : [formatGroupResource(type)];
    }),
  );
  const missing = reviews.flat();
  return missing.length === 0
    ? { state: "ok", text: "You may install operators" }
    : {
        state: "note",
        text: `You may not install operators: permission to create ${missing.join(", ")} is missing. Ask an administrator to apply the manifests, or for these permissions.`,
      };
}
