import type { NetworkPolicyPeer } from "@homeostat/kubernetes/networking/v1";

/** A port that a program serves besides health, metrics and webhooks. */
export interface ServicePort {
  /** The name of the port in the pods, the Service and the chart values: a DNS label of at most 15 characters. */
  readonly name: string;
  /** The port of the pods and of the Service. */
  readonly port: number;
  /**
   * The last port of a range that starts at `port`, for ports that clients reach at the addresses of pods. The NetworkPolicy opens the range; the Service
   * does not have it. Default: one port.
   */
  readonly endPort?: number | undefined;
  /** The NetworkPolicy peers that may connect. Default: all. */
  readonly from?: readonly NetworkPolicyPeer[] | undefined;
}

/** Returns the ports that are not ranges. */
export function singlePorts(ports: readonly ServicePort[] = []): readonly ServicePort[] {
  return ports.filter(({ endPort }) => endPort === undefined);
}

/** Keys of a Secret that are mounted as files. Unless it is optional, pods do not start before the Secret and the keys exist. */
export interface SecretFiles {
  /** The name of the volume, a DNS label. */
  readonly name: string;
  /** The name of the Secret. */
  readonly secret: string;
  /** The keys to mount. Other keys of the Secret, such as the key of a CA, are not visible in the pods. */
  readonly keys: readonly string[];
  readonly mountPath: string;
  /** True if the Secret or any of the keys may be missing; the kubelet adds the files later. Default: false. */
  readonly isOptional?: boolean;
}
