// The form of a scenario, and the comparison of its results.

import type { Client } from "@homeostat/client";
import type { KubeObject } from "@homeostat/core";
import { Event, Namespace } from "@homeostat/kubernetes/core/v1";

/** Environment of a scenario. */
export interface Stage {
  readonly client: Client;
  /** Its own namespace; scenarios run in parallel. */
  readonly namespace: string;
  /** CA certificate of the API server. */
  readonly ca: string;
}

/** Acts, waits for the effects, and returns what it observed. All subjects must return the same. */
export type Scenario = (stage: Stage) => Promise<unknown>;

/** Runs scenarios in parallel, each in its own namespace. */
export async function perform(
  scenarios: Readonly<Record<string, Scenario>>,
  { client, ca }: Omit<Stage, "namespace">,
): Promise<Map<string, unknown>> {
  const stages: (readonly [string, Scenario, Stage])[] = [];
  for (const [name, scenario] of Object.entries(scenarios)) {
    const namespace = `scene-${stages.length}`;
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    stages.push([name, scenario, { client, namespace, ca }]);
  }
  const entries = stages.map(async ([name, scenario, stage]) => {
    const seen = await scenario(stage).catch((error: unknown) => ({ failed: String(error) }));
    return [name, normal(seen)] as const;
  });
  return new Map(await Promise.all(entries));
}

/** Polls until there is a value. */
export async function until<T>(
  look: () => Promise<T | undefined | false>,
  { what = "something", ms = 150_000 }: { what?: string; ms?: number } = {},
): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const response = await look();
    if (response !== undefined && response !== false) return response;
    if (Date.now() > end) throw new Error(`timed out waiting for ${what}`);
    await pause(100);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Returns the events about an object without times. */
export async function eventsAbout(client: Client, { kind, metadata }: KubeObject): Promise<readonly unknown[]> {
  const { items } = await client.list(Event, { namespace: metadata.namespace ?? "default" });
  return items
    .filter(({ involvedObject }) => involvedObject.kind === kind && involvedObject.name === metadata.name)
    .map(({ type, reason, message, source, reportingComponent, involvedObject }) => ({
      type,
      reason,
      message,
      source,
      reportingComponent,
      subject: `${involvedObject.apiVersion} ${involvedObject.kind} ${involvedObject.uid === metadata.uid}`,
    }))
    .sort((a, b) => (`${a.reason}${a.message}` < `${b.reason}${b.message}` ? -1 : 1));
}

/** Replaces uids, times and resource versions by placeholders. */
export function normal(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null)
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UID")
      .replaceAll(/scene-\d+/g, "SCENE")
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME")
      .replaceAll(/"resourceVersion":"\d+"/g, '"resourceVersion":"VERSION"'),
  );
}
