// Names of Services, as a process on this machine writes them.

/** A Service and a port. */
export interface ServiceTarget {
  readonly service: string;
  readonly namespace: string;
  readonly port: number;
}

const label = "[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?";
const form = new RegExp(`^(${label})(?:\\.(${label})(\\.svc(?:\\.[a-z0-9.-]+)?)?)?\\.?$`);

/**
 * Returns the Service that a host name stands for; undefined for a name outside of the cluster.
 *
 * `svc`, `svc.ns.svc` and full names are names of Services. A name with two labels is a Service only if its second label is a namespace that the
 * tunnel may call, because `shop.example` may also be an external name.
 */
export function serviceOf(
  host: string,
  port: number,
  { namespace, isKnown }: { readonly namespace: string; readonly isKnown: (namespace: string) => boolean },
): ServiceTarget | undefined {
  const name = host.toLowerCase();
  if (name === "localhost" || /^[0-9.]+$/.test(name)) return undefined;
  const [, service, second, suffix] = form.exec(name) ?? [];
  if (service === undefined) return undefined;
  if (second === undefined) return { service, namespace, port };
  return suffix !== undefined || isKnown(second) ? { service, namespace: second, port } : undefined;
}

/** Returns the destination of a stream into the cluster. */
export function destinationOf({ service, namespace, port }: ServiceTarget): string {
  return `${service}.${namespace}.svc:${port}`;
}
