import { Pod } from "@homeostat/kubernetes/core/v1";
import { labels, Sandbox } from "@homeostat/sandbox-operator";
import type { CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import { readObject } from "../objects/read-object.ts";
import type { logsFlags } from "./flags.ts";

/** Prints the logs of the forks of a sandbox. */
export async function printLogs(input: CommandInput<typeof logsFlags>, context: CommandContext): Promise<number> {
  using cluster = await context.connect(input.connection);
  const { client } = cluster;
  const { signal, print, note } = context;
  const name = input.argument("NAME");
  const entry = input.optionalArgument("ENTRY");
  const next = `sandboxctl sandbox list -n ${cluster.namespace}`;
  const sandbox = await readObject(Sandbox, { client, namespace: cluster.namespace, name, signal, next });
  const forks = sandbox.spec.services.filter(({ mode }) => mode === "Fork");
  if (entry !== undefined && !forks.some((each) => each.name === entry)) {
    const names = forks.map((each) => each.name).join(", ");
    throw new CommandError(
      `Sandbox ${cluster.namespace}/${name} has no fork ${entry}; it has ${names || "none"}`,
      exitCodes.notFound,
    );
  }
  const namespaces = new Set(forks.map(({ targetRef }) => targetRef.namespace ?? cluster.namespace));
  const selector = [
    `${labels.sandboxUid}=${sandbox.metadata.uid ?? ""}`,
    ...(entry === undefined ? [] : [`${labels.workload}=${entry}`]),
  ].join(",");
  const pods: Pod[] = [];
  for (const namespace of namespaces) {
    pods.push(...(await client.list(Pod, { namespace, labelSelector: selector, signal })).items);
  }
  if (pods.length === 0) {
    note(
      `Sandbox ${cluster.namespace}/${name} has no pods. See sandboxctl sandbox get ${name} -n ${cluster.namespace}`,
    );
    return exitCodes.done;
  }
  const container = input.text("container");
  const sinceMs = input.durationMs("since");
  const streams = pods.flatMap((pod) => {
    const names = (pod.spec?.containers ?? []).map((each) => each.name);
    return names
      .filter((each) => container === undefined || each === container)
      .map((each) => ({ pod, container: each }));
  });
  const read = async ({ pod, container: of }: (typeof streams)[number]): Promise<void> => {
    const { namespace = "", name: podName = "" } = pod.metadata;
    const prefix = streams.length > 1 ? `[${pod.metadata.labels?.[labels.workload] ?? podName}/${of}] ` : "";
    const lines = client.logs(
      { namespace, name: podName },
      {
        container: of,
        follow: input.isSet("follow"),
        tailLines: input.integer("tail"),
        sinceSeconds: sinceMs === undefined ? undefined : Math.max(1, Math.round(sinceMs / 1_000)),
        signal,
      },
    );
    for await (const line of lines) print(`${prefix}${line}`);
  };
  await Promise.all(streams.map(read));
  return exitCodes.done;
}
