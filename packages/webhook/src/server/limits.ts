const mebibyte = 1024 * 1024;

/** Maximum size of an AdmissionReview in bytes: an object and its old version, 3 MiB each. */
export const admissionBytesMax: number = 7 * mebibyte;
/** Maximum size of a ConversionReview in bytes: it may contain a whole list. */
export const conversionBytesMax: number = 64 * mebibyte;

/** Limits of a webhook server that options can change. */
export interface ServerLimits {
  readonly requestsInFlightMax: number;
  readonly bytesInFlightMax: number;
  readonly connectionsMax: number;
}

/** Returns the default limits of a webhook server. Conversions need more memory: one of them may contain a whole list. */
export function defaultServerLimits({ hasConversions }: { readonly hasConversions: boolean }): ServerLimits {
  return {
    requestsInFlightMax: 200,
    bytesInFlightMax: (hasConversions ? 128 : 32) * mebibyte,
    connectionsMax: 500,
  };
}

/**
 * Returns the limits for one remote address. One address may use three quarters of requests and bytes: a whole list and its response
 * fit, and others keep some capacity.
 */
export function addressLimits(limits: ServerLimits): ServerLimits {
  return {
    requestsInFlightMax: Math.ceil((limits.requestsInFlightMax * 3) / 4),
    bytesInFlightMax: Math.ceil((limits.bytesInFlightMax * 3) / 4),
    connectionsMax: Math.ceil(limits.connectionsMax / 2),
  };
}
