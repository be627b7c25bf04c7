import { Sandbox } from "@homeostat/sandbox-operator";
import type { CommandContext } from "../command/context.ts";
import { exitCodes } from "../command/errors.ts";
import type { Flags } from "../command/flags.ts";
import type { CommandInput } from "../command/input.ts";
import { eventLine, readEvents } from "../objects/events.ts";
import { readObject } from "../objects/read-object.ts";
import { conditionLines, fieldLines } from "../output/describe.ts";
import { ageOf, untilText } from "../output/ages.ts";
import { printObjects } from "../output/print-objects.ts";
import { curlLine } from "./curl-line.ts";

const eventsMax = 8;

/** Shows a sandbox. */
export async function getSandbox(input: CommandInput<Flags>, context: CommandContext): Promise<number> {
  using cluster = await context.connect(input.connection);
  const { client, namespace } = cluster;
  const { signal, print, clock } = context;
  const name = input.argument("NAME");
  const next = `sandboxctl sandbox list -n ${namespace}`;
  const sandbox = await readObject(Sandbox, { client, namespace, name, signal, next });
  if (input.output !== "table") {
    printObjects(
      { objects: [sandbox], columns: [], output: input.output, resource: "sandbox", none: "", isSingle: true },
      context,
    );
    return exitCodes.done;
  }
  const events = await readEvents(client, { namespace, names: [name], signal });
  for (const line of describe(sandbox, clock.now())) print(line);
  if (events.length > 0) {
    print("Events:");
    for (const event of events.slice(-eventsMax)) print(`  ${eventLine(event, clock.now())}`);
  }
  return exitCodes.done;
}

function describe(sandbox: Sandbox, now: number): readonly string[] {
  const { metadata, spec, status } = sandbox;
  const entries = status.services ?? [];
  const curl = curlLine(sandbox);
  return [
    ...fieldLines({
      Name: metadata.name,
      Namespace: metadata.namespace,
      Phase: status.phase,
      "Routing key": status.routingKey,
      Owner: status.createdBy,
      Age: ageOf(metadata.creationTimestamp, now),
      Expires: status.expiresAt === undefined ? "never" : `${untilText(status.expiresAt, now)} (${status.expiresAt})`,
      Description: spec.description,
      Groups: (status.routeGroups ?? []).join(", "),
    }),
    ...(entries.length === 0 ? [] : ["Entries:"]),
    ...entries.flatMap((entry) => [
      `  ${entry.name}: ${entry.status}, ${entry.mode ?? "Fork"}, ${entry.readyReplicas ?? 0}/${entry.replicas ?? 0} pods, drift ${entry.drift ?? "unknown"}`,
      ...(entry.message === undefined ? [] : [`    ${entry.message}`]),
      ...(entry.endpoint === undefined ? [] : [`    ${entry.endpoint}`]),
    ]),
    ...((status.endpoints ?? []).length === 0 ? [] : ["Endpoints:"]),
    ...(status.endpoints ?? []).map(
      ({ name, url, ready }) => `  ${name}: ${url ?? "no address yet"}${ready ? "" : " (not ready)"}`,
    ),
    "Conditions:",
    ...conditionLines(status.conditions ?? []),
    ...(curl === undefined ? [] : ["Send a request:", `  ${curl}`]),
  ];
}
