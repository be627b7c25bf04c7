// What a scenario is, and how what it saw is made comparable.

import type { Client } from "@homeostat/client";
import type { KubeObject } from "@homeostat/core";
import { Event, Namespace } from "@homeostat/kubernetes/core/v1";

/** What a scenario works with. */
export interface Stage {
  readonly client: Client;
  /** A namespace of its own; scenarios run side by side. */
  readonly namespace: string;
  /** The certificate authority of the API server. */
  readonly ca: string;
}

/** Does something, waits for what follows, and returns what it saw. Both subjects must show the same. */
export type Scenario = (stage: Stage) => Promise<unknown>;

/** Runs scenarios side by side, each in its own namespace. */
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

/** Waits until there is an answer. */
export async function until<T>(
  question: () => Promise<T | undefined | false>,
  { what = "something", ms = 150_000 }: { what?: string; ms?: number } = {},
): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const answer = await question();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await pause(100);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** The events about an object: what they say, not when. */
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

/** The same with uids, times and versions replaced by what they are. */
export function normal(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value ?? null)
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UID")
      .replaceAll(/scene-\d+/g, "SCENE")
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME")
      .replaceAll(/"resourceVersion":"\d+"/g, '"resourceVersion":"VERSION"'),
  );
}
