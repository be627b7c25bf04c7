import type { Sandbox } from "@homeostat/sandbox-operator";

/** Returns a command that sends a request with the routing key of a sandbox, from a pod of the cluster; undefined if it has no Service yet. */
export function curlLine({ metadata, spec, status }: Sandbox): string | undefined {
  const { routingKey } = status;
  const entry = status.services?.find(({ services = [] }) => services.length > 0);
  const service = entry?.services?.[0];
  if (routingKey === undefined || entry === undefined || service === undefined) return undefined;
  const target = spec.services.find(({ name }) => name === entry.name)?.targetRef.namespace;
  const namespace = target ?? metadata.namespace ?? "default";
  const port = service.ports?.[0]?.port ?? 80;
  return curlCommand({ routingKey, service: service.baseline, namespace, port });
}

/** Returns a curl line with a routing key. */
export function curlCommand(request: {
  readonly routingKey: string;
  readonly service: string;
  readonly namespace: string;
  readonly port: number;
}): string {
  const { routingKey, service, namespace, port } = request;
  return `curl -H "x-routing-key: ${routingKey}" http://${service}.${namespace}.svc:${port}/`;
}
