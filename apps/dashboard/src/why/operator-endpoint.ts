import { parseBoundedJson } from "@homeostat/core";
import { type HttpRequest, sendHttp } from "@homeostat/http";

/** A response of an operator's debug page. */
export interface EndpointResponse {
  readonly status: number;
  readonly value: unknown;
}

/** The debug pages of one operator process. */
export interface OperatorEndpoint {
  /** Name of the operator or pod. */
  readonly name: string;
  /** Sends a GET request for a path such as `/why`. */
  get(path: string, signal: AbortSignal): Promise<EndpointResponse>;
}

const limits = { what: "response of an operator", bytesMax: 4 * 1024 * 1024, depthMax: 30, valuesMax: 200_000 };

/** Sends a GET request and parses the response as JSON. The value of an error that is not JSON, such as that of another program, is undefined. */
export async function getJson(
  request: Pick<HttpRequest, "host" | "port" | "path" | "agent" | "signal">,
): Promise<EndpointResponse> {
  const { status, body } = await sendHttp({ ...request, method: "GET", bodyBytesMax: limits.bytesMax });
  try {
    return { status, value: parseBoundedJson(body, limits) };
  } catch (error) {
    if (status === 200) throw error;
    return { status, value: undefined };
  }
}

/** Returns an endpoint at a port of this machine, such as that of an operator in the same process. The port is undefined until the operator listens. */
export function loopbackEndpoint(name: string, port: () => number | undefined): OperatorEndpoint {
  return {
    name,
    get(path, signal) {
      const number = port();
      if (number === undefined) return Promise.resolve({ status: 503, value: { message: `${name} is starting.` } });
      return getJson({ host: "127.0.0.1", port: number, path, signal });
    },
  };
}
