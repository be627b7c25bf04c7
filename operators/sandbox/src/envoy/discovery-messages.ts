// Requests and responses of Envoy's discovery services (envoy.service.discovery.v3).

import type { EnvoyResource } from "../render/envoy.ts";
import { envoyMessages } from "./envoy-messages.ts";
import { bytesField, encodeAny, readFields, textField } from "./protobuf.ts";

/** Types of resources, in the order in which changes are sent: no resource refers to one that Envoy does not know yet. */
export const resourceTypes = [
  "type.googleapis.com/envoy.config.cluster.v3.Cluster",
  "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
  "type.googleapis.com/envoy.config.listener.v3.Listener",
  "type.googleapis.com/envoy.config.route.v3.RouteConfiguration",
] as const;

export type ResourceTypeUrl = (typeof resourceTypes)[number];

/** A request of Envoy: it subscribes to resources, and confirms or rejects a response. */
export interface DiscoveryRequest {
  readonly typeUrl: string;
  /** Names of the resources; empty for all. */
  readonly names: readonly string[];
  /** Nonce of the response that this request refers to; empty for the first request. */
  readonly nonce: string;
  /** Reason why Envoy rejects that response. */
  readonly error: string | undefined;
  /** Name of the Envoy. Only the first request of a stream has it. */
  readonly nodeId: string | undefined;
}

/** A response with all resources of a type that Envoy has subscribed to. */
export interface DiscoveryResponse {
  readonly typeUrl: ResourceTypeUrl;
  readonly version: string;
  readonly nonce: string;
  readonly resources: readonly EnvoyResource[];
}

/** Reads a request. Throws an Error if it is malformed. */
export function readDiscoveryRequest(message: Buffer): DiscoveryRequest {
  const names: string[] = [];
  let typeUrl = "";
  let nonce = "";
  let error: string | undefined;
  let nodeId: string | undefined;
  for (const [number, value] of readFields(message)) {
    if (number === 2) nodeId = textOf(value, 1);
    else if (number === 3) names.push(value.toString("utf8"));
    else if (number === 4) typeUrl = value.toString("utf8");
    else if (number === 5) nonce = value.toString("utf8");
    else if (number === 6) error = textOf(value, 2) ?? "unknown error";
  }
  return { typeUrl, names, nonce, error, nodeId };
}

function textOf(message: Buffer, field: number): string | undefined {
  for (const [number, value] of readFields(message)) if (number === field) return value.toString("utf8");
  return undefined;
}

/** Encodes a response. */
export function encodeDiscoveryResponse({ typeUrl, version, nonce, resources }: DiscoveryResponse): Buffer {
  return Buffer.concat([
    textField(1, version),
    ...resources.map((resource) => bytesField(2, encodeAny(envoyMessages, resource))),
    textField(4, typeUrl),
    textField(5, nonce),
  ]);
}
