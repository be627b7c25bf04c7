// Checks a manifest before it is applied: the result of admission, and the effects on the cluster. Nothing is written.

import type { Client } from "@homeostat/client";
import { AdmissionDeniedError } from "homeostat";
import { type Clock, ForbiddenError, isRecord, type KubeObject, systemClock } from "@homeostat/core";
import type { Problem } from "@homeostat/schema";
import { annotations, apiVersion } from "../api/identity.ts";
import { LocalWorkload } from "../api/local-workload.ts";
import { RouteGroup } from "../api/route-group.ts";
import { Sandbox } from "../api/sandbox.ts";
import { SandboxPolicy } from "../api/sandbox-policy.ts";
import { isAboutSkippedRules } from "../api/schema-problems.ts";
import type { PreviewLine } from "../preview/preview.ts";
import type { OperatorConfig } from "../settings/config.ts";
import { type ObjectProblem, type ObjectWarning, problemOf } from "../validation/problem.ts";
import { type Change, type ChangeContext, type ObjectCheck, type WebhookTools } from "./admission.ts";
import { clientReader } from "./cluster-reader.ts";
import { checkLocalWorkload } from "./local-workload-check.ts";
import { overlayReader } from "./overlay-reader.ts";
import { checkPolicy } from "./policy-webhooks.ts";
import { checkRouteGroup } from "./route-group-check.ts";
import { checkSandbox } from "./sandbox-check.ts";
import { visibleReader } from "./visible-reader.ts";

/** The verdict about a manifest. */
export interface ManifestCheck {
  /** Reasons why the API server would refuse it. Empty if it would be accepted. */
  readonly denials: readonly ObjectProblem[];
  readonly warnings: readonly ObjectWarning[];
  /** Effects of the manifest: objects that the operator would create, and routes that would change. */
  readonly effects: readonly PreviewLine[];
  /** Checks that are incomplete because the user may not read what they need, as sentences. The API server makes them again. */
  readonly unchecked: readonly string[];
}

/** Options of {@link checkManifest}. */
export interface CheckManifestOptions {
  /** Reads with the permissions of the user who would apply the manifest. */
  readonly client: Client;
  /** The user who would apply the manifest. */
  readonly user: ChangeContext["user"];
  readonly config: OperatorConfig;
  /** Objects that are treated as already applied. */
  readonly others?: readonly KubeObject[] | undefined;
  readonly clock?: Clock | undefined;
  /** Time for all requests of the check. Default: 30 seconds. */
  readonly limitMs?: number | undefined;
  readonly signal: AbortSignal;
}

/** Reports whether {@link checkManifest} knows the kind of an object. */
export function isCheckedKind(object: KubeObject): boolean {
  return object.apiVersion === apiVersion && checkedKinds.includes(object.kind ?? "");
}

const checkedKinds: readonly string[] = ["Sandbox", "RouteGroup", "LocalWorkload", "SandboxPolicy"];

/** Checks a manifest of a {@link isCheckedKind checked kind} with a namespace, in the same way as admission does. */
export async function checkManifest(manifest: KubeObject, options: CheckManifestOptions): Promise<ManifestCheck> {
  const { client, config, others = [], clock = systemClock, limitMs = 30_000 } = options;
  const unchecked = new Set<string>();
  const visible = visibleReader(
    clientReader(() => client),
    {
      namespace: manifest.metadata.namespace ?? "",
      routeGroupsIn: async (namespace, signal) => (await client.list(RouteGroup, { namespace, signal })).items,
      onHidden: (reason) => unchecked.add(reason),
    },
  );
  const reader = {
    ...overlayReader(visible, others),
    // Every user may review their own access.
    review: async (_: unknown, ...[access, call]: Parameters<Client["reviewOwnAccess"]>) =>
      client.reviewOwnAccess(access, call),
  };
  const tools: WebhookTools = { config: () => config, reader, clock, limitMs };
  try {
    return { ...(await checkOfKind(manifest, options, tools)), unchecked: [...unchecked] };
  } catch (error) {
    // Admission hides the reason from users. Here the reads are those of the user, who learns which permission is missing.
    throw error instanceof AdmissionDeniedError && error.cause instanceof ForbiddenError ? error.cause : error;
  }
}

type Verdict = Omit<ManifestCheck, "unchecked">;

function checkOfKind(manifest: KubeObject, options: CheckManifestOptions, tools: WebhookTools): Promise<Verdict> {
  switch (manifest.kind) {
    case "Sandbox":
      return checkKind(Sandbox, manifest, options, (change) => checkSandbox(change, tools));
    case "RouteGroup":
      return checkKind(RouteGroup, manifest, options, (change) => checkRouteGroup(change, tools));
    case "LocalWorkload":
      return checkKind(LocalWorkload, manifest, options, (change) => checkLocalWorkload(change, tools));
    default:
      return checkKind(SandboxPolicy, manifest, options, async (change) => checkPolicy(change, tools.config));
  }
}

/** The part of a kind that a check needs. */
interface CheckedType<T extends KubeObject> {
  check(object: unknown): readonly Problem[];
  parse(object: unknown): T;
}

async function checkKind<T extends KubeObject & { readonly spec: unknown }>(
  type: CheckedType<T> & Parameters<Client["get"]>[0],
  manifest: KubeObject,
  { client, user, signal }: CheckManifestOptions,
  check: (change: Change<T>) => Promise<ObjectCheck>,
): Promise<Verdict> {
  const { namespace = "", name = "" } = manifest.metadata;
  const { status: _, ...given } = fieldsOf(manifest);
  const problems = type.check(given).filter((problem) => !isAboutSkippedRules(problem));
  if (problems.length > 0) {
    return { denials: problems.map((problem) => problemOf("SchemaInvalid", problem)), warnings: [], effects: [] };
  }
  const stored = await client.get(type, { namespace, name }, { signal });
  const old = stored === undefined ? undefined : type.parse(stored);
  const object = withCreator(type.parse(given), old);
  const context: ChangeContext = { namespace, user, dryRun: true, signal };
  const result = await check({ object, old, context });
  const before = new Set(result.known.map(textOf));
  return {
    denials: result.problems.filter((problem) => !before.has(textOf(problem))),
    warnings: [...result.problems.filter((problem) => before.has(textOf(problem))), ...result.warnings],
    effects: result.preview,
  };
}

function fieldsOf(object: KubeObject): Record<string, unknown> {
  return isRecord(object) ? { ...object } : {};
}

/** Returns an object with the recorded creator and status of the stored one, as the API server keeps them. */
function withCreator<T extends KubeObject>(object: T, old: T | undefined): T {
  if (old === undefined) return object;
  const creator = old.metadata.annotations?.[annotations.createdBy];
  const { uid } = old.metadata;
  const kept = creator === undefined ? {} : { [annotations.createdBy]: creator };
  const metadata = { ...object.metadata, uid, annotations: { ...object.metadata.annotations, ...kept } };
  return { ...old, ...object, ...("status" in old && { status: old.status }), metadata };
}

function textOf({ path, code, message }: ObjectProblem): string {
  return JSON.stringify([path, code, message]);
}
