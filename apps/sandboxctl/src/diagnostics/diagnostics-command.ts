import { writeFile } from "node:fs/promises";
import {
  formatTime,
  HomeostatError,
  isList,
  isRecord,
  type KubeObject,
  type ResourceType,
  releaseVersion,
} from "@homeostat/core";
import { Event, Pod } from "@homeostat/kubernetes/core/v1";
import {
  LocalWorkload,
  RouteGroup,
  RouteTable,
  Sandbox,
  SandboxPolicy,
  systemNamespace,
} from "@homeostat/sandbox-operator";
import type { CommandContext } from "../command/context.ts";
import { exitCodes } from "../command/errors.ts";
import type { CommandInput } from "../command/input.ts";
import type { diagnosticsFlags } from "./definitions.ts";

const kinds: readonly ResourceType[] = [Sandbox, RouteGroup, LocalWorkload, SandboxPolicy, RouteTable];

/** Fields that a report never contains, wherever they are. */
const redactedFields: ReadonlySet<string> = new Set([
  "env",
  "envFrom",
  "publicKeys",
  "token",
  "managedFields",
  "patches",
  "args",
  "command",
]);

/** Collects the state of sandbox environments. */
export async function collectDiagnostics(
  input: CommandInput<typeof diagnosticsFlags>,
  context: CommandContext,
): Promise<number> {
  using cluster = await context.connect(input.connection);
  const { client, namespace } = cluster;
  const { signal, clock, note, print } = context;
  const place = input.isSet("all-namespaces") ? {} : { namespace };
  const problems: string[] = [];
  const attempt = async <T>(part: string, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof HomeostatError)) throw error;
      problems.push(`${part}: ${error.message}`);
      return undefined;
    }
  };
  const objects: Record<string, unknown> = {};
  for (const type of kinds) {
    const page = await attempt(type.plural, () => client.list(type, { ...place, signal }));
    objects[type.plural] = page?.items.map(redacted);
  }
  const report = {
    time: formatTime(clock.now()),
    client: releaseVersion,
    kubernetes: await attempt("version", () => client.version({ signal })),
    namespace,
    objects,
    events: await attempt("events", async () => (await client.list(Event, { namespace, signal })).items.map(eventOf)),
    pods: await attempt("pods of the operator", async () =>
      (await client.list(Pod, { namespace: systemNamespace, signal })).items.map(podOf),
    ),
    problems,
  };
  const text = JSON.stringify(report, undefined, 2);
  const file = input.text("output");
  if (file === undefined || file === "-") print(text);
  else {
    await writeFile(file, `${text}\n`, { mode: 0o600 });
    note(`Wrote ${file}. Review it before you share it: it contains names of objects and users`);
  }
  return exitCodes.done;
}

/** Returns a value without fields that may contain secrets. */
function redacted(value: unknown): unknown {
  if (isList(value)) return value.map(redacted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, redactedFields.has(key) ? "(left out)" : redacted(each)]),
  );
}

function eventOf({ involvedObject, type, reason, message, count, lastTimestamp, eventTime }: Event): object {
  return {
    object: `${involvedObject.kind ?? ""}/${involvedObject.name ?? ""}`,
    type,
    reason,
    message,
    count,
    time: lastTimestamp ?? eventTime,
  };
}

function podOf({ metadata, status }: KubeObject & Pod): object {
  return {
    name: metadata.name,
    phase: status?.phase,
    containers: (status?.containerStatuses ?? []).map(({ name, ready, restartCount, image, state }) => ({
      name,
      ready,
      restartCount,
      image,
      waiting: state?.waiting?.reason,
    })),
  };
}
