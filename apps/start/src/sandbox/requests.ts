// Requests through a Service that is taken over, with and without a routing key.

import { NetworkError, systemRandom } from "@homeostat/core";
import { sendHttp } from "@homeostat/http";
import { Service } from "@homeostat/kubernetes/core/v1";
import { run as sandboxctl } from "@homeostat/sandboxctl";
import type { DemoContext } from "../demo.ts";
import { objectLine } from "../view/object-line.ts";

export interface RequestsInput {
  readonly context: DemoContext;
  /** Service to send requests to. */
  readonly service: string;
  readonly routingKey: string;
  /** Port of this machine on which the route server explains routes. */
  readonly queryPort: number;
}

const attemptsMax = 100;
const pollMs = 100;

/** Sends a request without and one with the routing key, and prints both responses and why the second took its route. */
export async function showRequests(input: RequestsInput, signal: AbortSignal): Promise<void> {
  const { context, service, routingKey, queryPort } = input;
  const { screen, say, namespace } = context;
  // The first keyed request waits until the network of the cluster has followed the change of the Service.
  const routed = await untilRouted(() => send(input, { "x-routing-key": routingKey }, signal), context, signal);
  const plain = await send(input, {}, signal);
  say(objectLine("Request", "without a key", describe(plain)));
  say(objectLine("Request", `with the key ${routingKey}`, describe(routed)));
  screen.line(`          x-sandbox-route: ${routed?.route ?? "missing"}`);

  const words = ["route", "explain", "--service", `${namespace}/${service}`, "--key", routingKey];
  say(`sandboxctl ${words.join(" ")}`);
  const print = (line: string): void => screen.line(`          ${line}`);
  await sandboxctl([...words, "--server", `http://127.0.0.1:${queryPort}`], {
    print,
    note: print,
    readInput: () => Promise.resolve(""),
    connect: () => Promise.reject(new Error("The route server explains without the API server")),
    signal,
    clock: context.clock,
    random: systemRandom,
    machine: { env: {}, configFolder: "", stateFolder: "", host: "" },
  });
}

interface Response {
  readonly status: number;
  readonly body: string;
  readonly route: string | undefined;
}

async function send(
  { context: { client, cluster, namespace, clock }, service: name }: RequestsInput,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response | undefined> {
  const service = await client.get(Service, { namespace, name }, { signal });
  const address = cluster.addressOf?.(service?.spec?.clusterIP ?? "", 80);
  if (address === undefined) return undefined;
  using deadline = clock.timeout(5_000);
  try {
    const response = await sendHttp({
      ...address,
      method: "GET",
      path: "/",
      headers: { ...headers, host: name },
      signal: AbortSignal.any([signal, deadline.signal]),
      bodyBytesMax: 65_536,
    });
    const route = response.headers["x-sandbox-route"];
    const body = response.body.toString("utf8");
    return { status: response.status, body, route: typeof route === "string" ? route : undefined };
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    return undefined;
  }
}

async function untilRouted(
  request: () => Promise<Response | undefined>,
  { clock }: DemoContext,
  signal: AbortSignal,
): Promise<Response | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await request();
    if (response?.route !== undefined || attempt === attemptsMax) return response;
    await clock.sleep(pollMs, signal);
  }
}

function describe(response: Response | undefined): string {
  return response === undefined ? "no response" : `${response.status} from ${response.body}`;
}
