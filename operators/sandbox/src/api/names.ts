// Names and addresses of the objects that the operator creates.

import { createHash } from "node:crypto";

/** Maximum length of an object name, and of one DNS label. */
export const nameLengthMax = 63;

/** The pattern of the names of all kinds of this API. */
export const namePattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

export const nameProblem = `must be at most ${nameLengthMax} lower-case letters, digits and dashes, and start and end with a letter or digit`;

/** The names of the Deployments and Services that exist once per namespace or cluster. */
export const proxyName = "sandbox-proxy";
export const routeServerName = "sandbox-route-server";
export const tunnelName = "sandbox-tunnel";
export const gatewayName = "sandbox-gateway";

/** Name and UID of a sandbox. The UID distinguishes the objects of a re-created sandbox from those of its predecessor. */
export interface SandboxIdentity {
  readonly name: string;
  readonly uid: string;
}

/** A workload or Service of the baseline. */
export interface BaselineIdentity {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Returns eight hexadecimal digits of the SHA-256 of the parts. */
export function hash8(parts: readonly string[]): string {
  // JSON keeps the boundaries between the parts: `ab` + `c` and `a` + `bc` get different hashes.
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 8);
}

/** Returns the name of the Deployment that runs the fork of one entry. */
export function forkName(sandbox: SandboxIdentity, entry: string, baseline: BaselineIdentity): string {
  const hash = hash8([sandbox.uid, entry, baseline.kind, baseline.namespace, baseline.name]);
  return hashedName(`${sandbox.name}-${baseline.name}`, hash);
}

/** Returns the name of the Service of a fork that replaces one Service of the baseline. */
export function forkServiceName(
  sandbox: SandboxIdentity,
  entry: string,
  service: Omit<BaselineIdentity, "kind">,
): string {
  const hash = hash8([sandbox.uid, entry, "Service", service.namespace, service.name]);
  return hashedName(`${sandbox.name}-${service.name}`, hash);
}

/** Returns the name of the Service and the EndpointSlice that route to the machine of a LocalWorkload. */
export function localServiceName(sandbox: SandboxIdentity, workload: { name: string; service: string }): string {
  return hashedName(
    `${sandbox.name}-${workload.service}`,
    hash8([sandbox.uid, workload.name, "LocalWorkload", workload.service]),
  );
}

/** Returns the name of the Secret with the outputs of a provision hook, and of its Job. */
export function provisionName(sandbox: SandboxIdentity, provision: string, step: "create" | "delete"): string {
  return hashedName(`${sandbox.name}-${provision}`, hash8([sandbox.uid, provision, "provision", step]));
}

/** Returns the name of the Service that routes to the baseline pods of a Service that is taken over. */
export function baselineServiceName(service: string): string {
  const name = `${service}--base`;
  return name.length <= nameLengthMax ? name : hashedName(`${cut(service, 48)}--base`, hash8([service]));
}

/** Returns the address of a Service within the cluster: `http://<service>.<namespace>.svc:<port>` without the scheme. */
export function serviceAddress(service: string, namespace: string, port: number): string {
  return `${service}.${namespace}.svc:${port}`;
}

/** An endpoint, and the routing key that the gateway sets on requests to its preview address. */
export interface PreviewAddress {
  readonly endpoint: string;
  readonly routingKey: string;
  readonly domain: string;
}

/** Returns the preview host of an endpoint of a sandbox or a group: `<endpoint>--<key>.<domain>`. */
export function previewHost({ endpoint, routingKey, domain }: PreviewAddress): string {
  return `${dnsLabel(`${endpoint}--${routingKey}`)}.${domain}`;
}

/** Returns the host of a share link: `<endpoint>--<key>--<suffix>.<domain>`. The suffix is six random characters. */
export function shareHost({ endpoint, routingKey, domain }: PreviewAddress, suffix: string): string {
  return `${dnsLabel(`${endpoint}--${routingKey}--${suffix}`)}.${domain}`;
}

/** Returns the host of the tunnel server. */
export function tunnelHost(domain: string): string {
  return `tunnel.${domain}`;
}

/** Returns a text as one label of a DNS name: unchanged if it fits, else shortened and with a hash of the whole text. */
function dnsLabel(text: string): string {
  return text.length <= nameLengthMax ? text : hashedName(text, hash8([text]));
}

/**
 * Returns a readable name that ends in a hash and is a valid name of a Service: at most 63 characters, only letters, digits and
 * dashes, and a letter first.
 */
function hashedName(readable: string, hash: string): string {
  const clean = readable.toLowerCase().replaceAll(/[^a-z0-9-]/g, "-");
  const started = /^[a-z]/.test(clean) ? clean : `s-${clean}`;
  return `${cut(started, nameLengthMax - hash.length - 1)}-${hash}`;
}

function cut(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(/-+$/, "");
}
