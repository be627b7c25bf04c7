import { loadKubeconfig } from "@homeostat/client";
import { HomeostatError, type KubeObject, type ResourceType } from "@homeostat/core";
import { Namespace, Service } from "@homeostat/kubernetes/core/v1";
import { LocalWorkload, PreviewLink, RouteGroup, Sandbox } from "@homeostat/sandbox-operator";
import type { CommandContext } from "../command/context.ts";
import { exitCodes } from "../command/errors.ts";
import type { Flags, Suggestion } from "../command/flags.ts";
import type { CommandInput, ConnectionArguments } from "../command/input.ts";
import { registry } from "../registry.ts";
import { suggest } from "./suggest.ts";

/** Time for reading names from the cluster, in milliseconds: a shell waits for it. */
const namesMs = 2_000;

const kinds: Readonly<Partial<Record<Suggestion, ResourceType>>> = {
  sandbox: Sandbox,
  routegroup: RouteGroup,
  localworkload: LocalWorkload,
  previewlink: PreviewLink,
  service: Service,
  namespace: Namespace,
};

/** Prints the words that may follow a command line, one per line, with a tab and what they are for. */
export async function completeCommand(input: CommandInput<Flags>, context: CommandContext): Promise<number> {
  const line = input.following;
  const { words, names, before } = suggest(line, registry);
  for (const { word, help } of words) context.print(help === "" ? word : `${word}\t${help}`);
  if (names === "file" || names === "folder" || names === "command") context.print(":files");
  else if (names !== undefined) {
    const current = line.at(-1) ?? "";
    for (const name of await namesOf(names, before, connectionOf(line, input.connection), context)) {
      if (name.startsWith(current)) context.print(name);
    }
  }
  return exitCodes.done;
}

/** Returns the options of the connection that the completed line has. */
function connectionOf(line: readonly string[], defaults: ConnectionArguments): ConnectionArguments {
  const valueOf = (...forms: readonly string[]): string | undefined => {
    for (const [index, word] of line.entries()) {
      if (forms.includes(word)) return line[index + 1];
      const form = forms.find((each) => each.startsWith("--") && word.startsWith(`${each}=`));
      if (form !== undefined) return word.slice(form.length + 1);
    }
    return undefined;
  };
  return {
    ...defaults,
    namespace: valueOf("--namespace", "-n") ?? defaults.namespace,
    context: valueOf("--context") ?? defaults.context,
    kubeconfig: valueOf("--kubeconfig") ?? defaults.kubeconfig,
  };
}

async function namesOf(
  names: Suggestion,
  before: readonly string[],
  connection: ConnectionArguments,
  context: CommandContext,
): Promise<readonly string[]> {
  using timeout = context.clock.timeout(namesMs);
  const signal = AbortSignal.any([context.signal, timeout.signal]);
  try {
    if (names === "context") {
      const config = await loadKubeconfig(connection.kubeconfig === undefined ? {} : { file: connection.kubeconfig });
      return [...(config?.contexts.keys() ?? [])];
    }
    using cluster = await context.connect(connection);
    const { client, namespace } = cluster;
    if (names === "entry") {
      const [name = ""] = before;
      const sandbox = name === "" ? undefined : await client.get(Sandbox, { namespace, name }, { signal });
      return (sandbox?.spec.services ?? []).map((entry) => entry.name);
    }
    const type = kinds[names];
    if (type === undefined) return [];
    const { items } = await client.list(type, {
      ...(type.scope === "Namespaced" && { namespace }),
      limit: 500,
      signal,
    });
    return items.map(({ metadata }: KubeObject) => metadata.name ?? "");
  } catch (error) {
    // Without a cluster there is nothing to suggest; a message would disturb the line that the user types.
    if (error instanceof HomeostatError || timeout.signal.aborted) return [];
    throw error;
  }
}
