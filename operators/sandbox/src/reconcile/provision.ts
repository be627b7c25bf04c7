// Runs the create hooks of a sandbox, one after the other, and keeps their outputs.

import { AlreadyExistsError, controllerOf, type DeepReadonly, setControllerReference } from "@homeostat/core";
import { Secret } from "@homeostat/kubernetes/core/v1";
import type { ProvisionHook } from "../api/sandbox.ts";
import { hookJob, hookName, hookSecret } from "../build/provision.ts";
import { decideHook, type HookStep } from "../decide/provision.ts";
import { sandboxEvents } from "./events.ts";
import type { SandboxContext } from "./sandbox-context.ts";

/** Outputs of one hook. Their values stay in the Secret. */
export interface HookOutputs {
  readonly secretName: string;
  readonly keys: readonly string[];
}

/** The state of all hooks. */
export interface Provision {
  /**
   * Outputs by name of the hook. A hook that has not finished is represented by the outputs that entries refer to, so forks can be derived for the
   * status; they are applied only when all hooks have finished.
   */
  readonly outputs: ReadonlyMap<string, HookOutputs>;
  /** State of the running hook, which forks wait for; undefined if all hooks have finished. */
  readonly waiting: string | undefined;
  /** The message of a hook that failed. */
  readonly failed: string | undefined;
}

/** Runs the hooks in the order of the spec. A hook starts when the previous one has finished, so it can rely on its results. */
export async function provision(context: SandboxContext, routingKey: string): Promise<Provision> {
  const outputs = expectedOutputs(context);
  for (const hook of context.sandbox.spec.provision) {
    const secretName = hookName(context.sandbox, hook.name, "create");
    const keys = await secretKeys(context, secretName);
    const step = decideHook(observedHook(context, hook, keys));
    const stored = await perform(context, { hook, routingKey, step });
    const known = stored ?? keys;
    if (known === undefined) {
      const message = "message" in step ? step.message : `Provision hook ${hook.name} starts`;
      if (step.type !== "failed") return { outputs, waiting: message, failed: undefined };
      context.event(sandboxEvents.provisionFailed(message));
      return { outputs, waiting: undefined, failed: message };
    }
    outputs.set(hook.name, { secretName, keys: known });
  }
  return { outputs, waiting: undefined, failed: undefined };
}

/** Returns the state of hooks that must not run, because the sandbox has another problem. */
export function unprovisioned(context: SandboxContext): Provision {
  return { outputs: expectedOutputs(context), waiting: undefined, failed: undefined };
}

function expectedOutputs({ sandbox }: SandboxContext): Map<string, HookOutputs> {
  const references = sandbox.spec.services
    .flatMap(({ containers = [] }) => containers.flatMap(({ env = [] }) => env))
    .flatMap(({ valueFrom }) => valueFrom?.provision ?? []);
  return new Map(
    sandbox.spec.provision.map(({ name }) => {
      const keys = references.filter((reference) => reference.name === name).map(({ key }) => key);
      return [name, { secretName: hookName(sandbox, name, "create"), keys }] as const;
    }),
  );
}

/** Returns the keys of the Secret of a hook. Ignores a Secret that this sandbox does not own. */
async function secretKeys({ runtime }: SandboxContext, name: string): Promise<readonly string[] | undefined> {
  const { client, namespace, object, signal } = runtime;
  const secret = await client.get(Secret, { namespace, name }, { signal });
  if (secret === undefined || controllerOf(secret)?.uid !== object.metadata.uid) return undefined;
  return Object.keys(secret.data ?? {});
}

function observedHook(
  { runtime, sandbox }: SandboxContext,
  { name, outputs }: DeepReadonly<ProvisionHook>,
  keys: readonly string[] | undefined,
) {
  const jobName = hookName(sandbox, name, "create");
  const job = runtime.owned.jobs.get(jobName);
  const pods = runtime.watched.pods.by("fork", `${sandbox.metadata.uid ?? ""}/job/${jobName}`);
  return { name, outputs, secretKeys: keys, job, pods };
}

interface StepInput {
  readonly hook: DeepReadonly<ProvisionHook>;
  readonly routingKey: string;
  readonly step: HookStep;
}

/** Performs a step. Returns the keys of the outputs if it stored them. */
async function perform(
  context: SandboxContext,
  { hook, routingKey, step }: StepInput,
): Promise<readonly string[] | undefined> {
  const { runtime, sandbox } = context;
  const input = { sandbox, hook, routingKey };
  if (step.type === "createJob") await runtime.owned.jobs.create(hookJob(input, "create", hook.create));
  if (step.type !== "storeOutputs") return undefined;
  // Created once and never changed: the Secret is the record that the hook has run.
  const secret = setControllerReference(sandbox, hookSecret(input, step.outputs));
  try {
    await runtime.client.create(Secret, secret, { signal: runtime.signal });
  } catch (error) {
    // Another object has the name, or an earlier process stored the outputs. The next reconcile reads the Secret.
    if (!(error instanceof AlreadyExistsError)) throw error;
  }
  return Object.keys(step.outputs);
}
