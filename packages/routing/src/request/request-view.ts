/**
 * The header fields of a request.
 *
 * An engine implements it on its own representation, so no object of all headers is built per request. A `Map` with lower-case
 * names is one as well.
 */
export interface HeaderSource {
  /**
   * Returns the value of the field with a lower-case name, or the values in order of arrival if the field is repeated.
   *
   * A value has one code unit per byte (latin1), as Node delivers it.
   */
  get(name: string): string | readonly string[] | undefined;
}

/** The parts of a request that decisions depend on. */
export interface RequestView {
  readonly method: string;
  /** Path and query as received, in origin form: `/api/cart?id=1`. */
  readonly path: string;
  readonly headers: HeaderSource;
  /** IP address of the client, without port. */
  readonly clientAddress?: string | undefined;
  /** True for a request from the node itself: the kubelet probes the container of the pod. */
  readonly isFromNode?: boolean | undefined;
  /** Key of the address by which the request arrived: a preview host, or a local map. Only in the roles gateway and local. */
  readonly assignedKey?: string | undefined;
  /** Key that the preview host assumes for requests without a key. Only in the role gateway. */
  readonly defaultKey?: string | undefined;
}

/** Position of a proxy: before a Service, in the pod, at the preview addresses, or on the machine of a developer. */
export type ProxyRole = "takeover" | "sidecar" | "gateway" | "local";
