/**
 * Returns the gRPC status that clients derive from an HTTP status, as the gRPC documentation maps them
 * (`doc/http-grpc-status-mapping.md` of the gRPC repository).
 */
export function grpcStatusOf(status: number): number {
  switch (status) {
    case 400:
      return 13;
    case 401:
      return 16;
    case 403:
      return 7;
    case 404:
      return 12;
    case 429:
    case 502:
    case 503:
    case 504:
      return 14;
    default:
      return 2;
  }
}
