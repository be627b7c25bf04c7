/** The label of an EndpointSlice with the name of its Service. */
const serviceNameLabel = "kubernetes.io/service-name";

/** Returns the key of the Service of an EndpointSlice. */
export function serviceOfSlice({
  metadata,
}: {
  readonly metadata: {
    readonly namespace?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
  };
}): string {
  return `${metadata.namespace ?? ""}/${metadata.labels?.[serviceNameLabel] ?? ""}`;
}
