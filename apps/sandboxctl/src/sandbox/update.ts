import { UsageError } from "@homeostat/core";
import { Sandbox } from "@homeostat/sandbox-operator";
import type { Cluster, CommandContext } from "../command/context.ts";
import { exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { printResult } from "../objects/apply-objects.ts";
import { changeSpec } from "../objects/change-object.ts";
import { imageChange, type ImageChange, variableChange, type VariableChange } from "./changes.ts";
import type { updateFlags } from "./flags.ts";
import { waitForSandbox } from "./readiness.ts";
import { readWorkload } from "../workload/read-workload.ts";

type Entry = Sandbox["spec"]["services"][number];
type Container = NonNullable<Entry["containers"]>[number];

/** Changes images and variables of entries. */
export async function updateSandbox(input: CommandInput<typeof updateFlags>, context: CommandContext): Promise<number> {
  const name = input.argument("NAME");
  const images = input.texts("image").map((text) => imageChange("--image", text));
  const variables = input.texts("env").map(variableChange);
  if (images.length + variables.length === 0)
    throw new UsageError("sandboxctl sandbox update requires --image or --env. See sandboxctl sandbox update --help.");
  using cluster = await context.connect(input.connection);
  const changed = await change(cluster, name, { images, variables }, context.signal);
  const waitMs = input.durationMs("wait-timeout") ?? 0;
  const result = input.isSet("wait") ? await waitForSandbox(cluster, name, waitMs, context) : changed;
  printResult(result, input.isSet("wait") ? "changed and ready" : "changed", input, context, "sandbox");
  return exitCodes.done;
}

interface Changes {
  readonly images: readonly ImageChange[];
  readonly variables: readonly VariableChange[];
}

async function change(cluster: Cluster, name: string, changes: Changes, signal: AbortSignal): Promise<Sandbox> {
  const { client, namespace } = cluster;
  const next = `sandboxctl sandbox list -n ${namespace}`;
  return changeSpec(Sandbox, { client, namespace, name, signal, next }, async (sandbox) => {
    let { services } = sandbox.spec;
    for (const { entry, container, image } of changes.images) {
      const at = await containerOf(cluster, sandbox, { entry, container }, signal);
      services = withContainer(services, at, (each) => ({ ...each, image }));
    }
    for (const { entry, container, name: variable, value } of changes.variables) {
      const at = await containerOf(cluster, sandbox, { entry, container }, signal);
      services = withContainer(services, at, (each) => withVariable(each, variable, value));
    }
    return { services };
  });
}

interface ContainerName {
  readonly entry: string;
  readonly container: string;
}

/** Returns the entry and container of a change: the only container that the entry changes, else the only one of the baseline. */
async function containerOf(
  cluster: Cluster,
  sandbox: Sandbox,
  { entry: name, container }: { readonly entry: string; readonly container: string | undefined },
  signal: AbortSignal,
): Promise<ContainerName> {
  const entry = sandbox.spec.services.find((each) => each.name === name);
  if (entry === undefined) {
    const names = sandbox.spec.services.map((each) => each.name).join(", ");
    throw new UsageError(`Sandbox ${sandbox.metadata.name ?? ""} has no entry ${name}; it has ${names || "none"}.`);
  }
  if (entry.mode !== "Fork")
    throw new UsageError(`Entry ${name} has the mode ${entry.mode}; images and variables belong to the mode Fork.`);
  if (container !== undefined) return { entry: name, container };
  const own = (entry.containers ?? []).map((each) => each.name);
  const names = own.length === 1 ? own : await baselineContainers(cluster, entry, signal);
  const [first = ""] = names;
  if (names.length === 1) return { entry: name, container: first };
  throw new UsageError(`Entry ${name} has the containers ${names.join(", ")}; write ${name}/CONTAINER.`);
}

async function baselineContainers(cluster: Cluster, entry: Entry, signal: AbortSignal): Promise<readonly string[]> {
  const { template } = await readWorkload(cluster, entry.targetRef, signal);
  return template.spec.containers.map(({ name }) => name);
}

function withContainer(
  services: Sandbox["spec"]["services"],
  { entry, container }: ContainerName,
  edit: (container: Container) => Container,
): Sandbox["spec"]["services"] {
  return services.map((each) => {
    if (each.name !== entry) return each;
    const { containers = [] } = each;
    const isNew = !containers.some(({ name }) => name === container);
    const all: Container[] = isNew ? [...containers, { name: container }] : containers;
    return { ...each, containers: all.map((one) => (one.name === container ? edit(one) : one)) };
  });
}

function withVariable(container: Container, name: string, value: string | undefined): Container {
  const others = (container.env ?? []).filter((each) => each.name !== name);
  const added =
    value === undefined ? { name, operation: "Delete" as const } : { name, value, operation: "Upsert" as const };
  return { ...container, env: [...others, added] };
}
