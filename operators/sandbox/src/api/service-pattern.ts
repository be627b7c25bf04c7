// Patterns of Services that a machine may call: `<service>[.<namespace>][:port]`, with globs in service and namespace.

import { globProblem, matchesGlob } from "./glob.ts";

/** A parsed pattern. */
export interface ServicePattern {
  /** Glob of the name of the Service. */
  readonly service: string;
  /** Glob of the namespace; absent for the namespace of the object that has the pattern. */
  readonly namespace: string | undefined;
  /** Absent for all ports. */
  readonly port: number | undefined;
}

/** A Service and a port of it. */
export interface ServicePort {
  readonly service: string;
  readonly namespace: string;
  readonly port: number;
}

// Names are globs without dots, so the first dot separates the namespace.
const form = /^([^.:\s/]+)(?:\.([^.:\s/]+))?(?::([0-9]{1,5}))?$/;

/** Parses a pattern, or returns its problem. */
export function parseServicePattern(text: string): ServicePattern | { readonly problem: string } {
  const [, service, namespace, port] = form.exec(text) ?? [];
  if (service === undefined)
    return { problem: "must have the form <service>[.<namespace>][:port], such as db.shop:5432" };
  for (const glob of [service, namespace ?? ""]) {
    const problem = globProblem(glob);
    if (problem !== undefined) return { problem: `must consist of globs: ${glob} ${problem}` };
  }
  const number = port === undefined ? undefined : Number(port);
  if (number !== undefined && (number < 1 || number > 65_535)) return { problem: "must have a port from 1 to 65535" };
  return { service, namespace, port: number };
}

/** Reports whether a pattern of an object in `home` matches a port of a Service. A pattern that cannot be parsed matches nothing. */
export function matchesServicePattern(text: string, target: ServicePort, home: string): boolean {
  const pattern = parseServicePattern(text);
  if ("problem" in pattern) return false;
  const { service, namespace = home, port } = pattern;
  return (
    matchesGlob(service, target.service) &&
    matchesGlob(namespace, target.namespace) &&
    (port === undefined || port === target.port)
  );
}
