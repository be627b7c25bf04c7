import { AlreadyExistsError, UsageError } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Sandbox } from "@homeostat/sandbox-operator";
import type { Cluster, CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { printResult } from "../objects/apply-objects.ts";
import { fieldManager } from "../objects/field-manager.ts";
import { readObject } from "../objects/read-object.ts";
import { imageChange, type ImageChange } from "./changes.ts";
import type { createFlags } from "./flags.ts";
import { waitForSandbox } from "./readiness.ts";

/** Creates a Sandbox from options. */
export async function createSandbox(input: CommandInput<typeof createFlags>, context: CommandContext): Promise<number> {
  const name = input.argument("NAME");
  const changes = input.texts("service").map((text) => imageChange("--service", text));
  const labels = Object.fromEntries(input.texts("label").map(labelOf));
  const ttl = input.text("ttl");
  const routingKey = input.text("key");
  using cluster = await context.connect(input.connection);
  const { client, namespace } = cluster;
  const services = [];
  for (const change of changes) services.push(await entryOf(change, cluster, context.signal));
  let created: Sandbox;
  try {
    created = await client.create(
      Sandbox,
      Sandbox.make({
        metadata: { name, namespace },
        spec: { services, labels, ...(ttl !== undefined && { ttl }), ...(routingKey !== undefined && { routingKey }) },
      }),
      { signal: context.signal, fieldManager },
    );
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
    throw new CommandError(
      `Sandbox ${namespace}/${name} already exists. Change it with sandboxctl sandbox update ${name} -n ${namespace}, or choose another name`,
      exitCodes.error,
      { cause: error },
    );
  }
  if (!input.isSet("wait")) {
    printResult(created, "created", input, context, "sandbox");
    return exitCodes.done;
  }
  const ready = await waitForSandbox(cluster, name, input.durationMs("wait-timeout") ?? 0, context);
  printResult(ready, "ready", input, context, "sandbox");
  if (input.output === "table") context.print(`routing key ${ready.status.routingKey ?? ""}`);
  return exitCodes.done;
}

async function entryOf({ entry, container, image }: ImageChange, { client, namespace }: Cluster, signal: AbortSignal) {
  const deployment = await readObject(Deployment, {
    client,
    namespace,
    name: entry,
    signal,
    next: `kubectl get deployments -n ${namespace}`,
  });
  const names = deployment.spec?.template.spec?.containers.map((each) => each.name) ?? [];
  const [first = ""] = names;
  if (container === undefined && names.length > 1) {
    throw new UsageError(
      `Deployment ${namespace}/${entry} has the containers ${names.join(", ")}; write --service ${entry}/CONTAINER=${image}.`,
    );
  }
  if (container !== undefined && !names.includes(container)) {
    throw new UsageError(`Deployment ${namespace}/${entry} has no container ${container}; it has ${names.join(", ")}.`);
  }
  return {
    name: entry,
    targetRef: { kind: "Deployment" as const, name: entry },
    containers: [{ name: container ?? first, image }],
  };
}

function labelOf(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at <= 0) throw new UsageError(`--label is ${JSON.stringify(text)}; it must be KEY=VALUE.`);
  return [text.slice(0, at), text.slice(at + 1)];
}
