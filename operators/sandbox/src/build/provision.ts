// Jobs and Secrets of provision hooks.

import type { ObjectToCreate } from "@homeostat/runtime";
import type { DeepReadonly } from "@homeostat/core";
import type { Job } from "@homeostat/kubernetes/batch/v1";
import type { Secret } from "@homeostat/kubernetes/core/v1";
import { fieldManager, labels } from "../api/identity.ts";
import { provisionName } from "../api/names.ts";
import type { CachedSandbox, ProvisionHook, ProvisionStep } from "../api/sandbox.ts";

/** Number of retries of a failed delete hook before it is reported and skipped. */
const deleteRetries = 3;

/** A hook of a sandbox. */
export interface HookInput {
  readonly sandbox: CachedSandbox;
  readonly hook: DeepReadonly<ProvisionHook>;
  readonly routingKey: string;
}

function hookLabels({ sandbox, routingKey }: HookInput): Record<string, string> {
  const { name = "", uid = "" } = sandbox.metadata;
  return {
    ...sandbox.spec.labels,
    [labels.managedBy]: fieldManager,
    [labels.sandbox]: name,
    [labels.sandboxUid]: uid,
    [labels.routingKey]: routingKey,
  };
}

/** Returns the name of the Job or the Secret of a hook. */
export function hookName(sandbox: CachedSandbox, hook: string, step: "create" | "delete"): string {
  const { name = "", uid = "" } = sandbox.metadata;
  return provisionName({ name, uid }, hook, step);
}

/**
 * Returns the Job of a hook. A create hook fails with its first pod, so nothing is prepared twice. A delete hook is retried, because resources that
 * it does not delete cost money.
 *
 * The pod meets the restricted pod security standard, and has no token unless a policy allows a ServiceAccount for it.
 */
export function hookJob(
  input: HookInput,
  step: "create" | "delete",
  given: DeepReadonly<ProvisionStep>,
): ObjectToCreate<Job> {
  const { sandbox, hook, routingKey } = input;
  const { name = "", namespace = "" } = sandbox.metadata;
  const marks = hookLabels(input);
  const variables = { SANDBOX_NAME: name, SANDBOX_NAMESPACE: namespace, SANDBOX_ROUTING_KEY: routingKey };
  const own = new Set((given.env ?? []).map((variable) => variable.name));
  return {
    metadata: { name: hookName(sandbox, hook.name, step), namespace, labels: marks },
    spec: {
      backoffLimit: step === "create" ? 0 : deleteRetries,
      activeDeadlineSeconds: hook.timeoutSeconds,
      template: {
        metadata: { labels: marks },
        spec: {
          restartPolicy: "Never",
          ...(given.serviceAccountName === undefined
            ? { automountServiceAccountToken: false }
            : { serviceAccountName: given.serviceAccountName }),
          securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
          containers: [
            {
              name: "hook",
              image: given.image,
              ...(given.command !== undefined && { command: [...given.command] }),
              ...(given.args !== undefined && { args: [...given.args] }),
              env: [
                ...Object.entries(variables)
                  .filter(([variable]) => !own.has(variable))
                  .map(([variable, value]) => ({ name: variable, value })),
                ...(given.env ?? []).map((variable) => ({ ...variable })),
              ],
              // If a failed hook has not written a termination message, the end of its log is used.
              terminationMessagePolicy: "FallbackToLogsOnError",
              securityContext: {
                allowPrivilegeEscalation: false,
                capabilities: { drop: ["ALL"] },
              },
            },
          ],
        },
      },
    },
  };
}

/** Returns the Secret with the outputs of a create hook. */
export function hookSecret(input: HookInput, outputs: Readonly<Record<string, string>>): Secret {
  const { sandbox, hook } = input;
  const data = Object.entries(outputs).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: hookName(sandbox, hook.name, "create"),
      namespace: sandbox.metadata.namespace ?? "",
      labels: hookLabels(input),
    },
    type: "Opaque",
    data: Object.fromEntries(data),
  };
}
