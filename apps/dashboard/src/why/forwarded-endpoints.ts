import { randomBytes } from "node:crypto";
import { Agent } from "node:http";
import type { Duplex } from "node:stream";
import { type Connection, openServerConnection } from "@homeostat/client";
import { Pod } from "@homeostat/kubernetes/core/v1";
import { openPortForward } from "@homeostat/tunnel";
import { mayWatch, type ViewContext } from "../views/view.ts";
import { getJson, type OperatorEndpoint } from "./operator-endpoint.ts";

/** Name of the container port with the debug pages, as the manifests of the operator kit set it. */
const portName = "health";

/**
 * Finds the pods of operators by the label that their CRDs have, too. Their debug pages accept connections from the same pod only, so requests go through
 * a port-forward with the rights of the user: the API server requires permission to create `pods/portforward`.
 */
export async function forwardedEndpoints(
  context: ViewContext,
  operators: readonly string[],
  signal: AbortSignal,
): Promise<OperatorEndpoint[]> {
  if (operators.length === 0 || !(await mayWatch(context, { type: Pod }, signal))) return [];
  const labelSelector = `app.kubernetes.io/name in (${operators.join(",")})`;
  const { items } = await context.client.list(Pod, { labelSelector, signal });
  return items.flatMap((pod) => {
    const { namespace = "", name = "" } = pod.metadata;
    const port = pod.spec?.containers.flatMap(({ ports = [] }) => ports).find((one) => one.name === portName);
    if (port === undefined || pod.status?.phase !== "Running") return [];
    return [forwardedEndpoint(context.connection, { namespace, name, port: port.containerPort })];
  });
}

/** A port of a pod. */
interface PodPort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

function forwardedEndpoint(connection: Connection, pod: PodPort): OperatorEndpoint {
  return {
    name: `${pod.namespace}/${pod.name}`,
    async get(path, signal) {
      const stream = await forward(connection, pod, signal);
      try {
        // The operator accepts any Host header; the stream decides where the request goes.
        return await getJson({ host: "127.0.0.1", port: pod.port, path, agent: new StreamAgent(stream), signal });
      } finally {
        stream.destroy();
      }
    },
  };
}

async function forward(connection: Connection, pod: PodPort, signal: AbortSignal): Promise<Duplex> {
  const { socket, host, pathPrefix, headers } = await openServerConnection(connection, { signal });
  try {
    return await openPortForward({ connection: socket, host, pathPrefix, headers, pod, randomBytes, signal });
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Sends one request over an open stream. */
class StreamAgent extends Agent {
  readonly #stream: Duplex;

  constructor(stream: Duplex) {
    super({ keepAlive: false });
    this.#stream = stream;
  }

  override createConnection(): Duplex {
    return this.#stream;
  }
}
