import { adminIdentity, ApiServer, standardOptions, type StandardServerOptions } from "@homeostat/apiserver";

/** How a server is reached as its administrator. */
export interface AdminAccess {
  readonly server: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** The embedded API server, listening on this machine. */
export interface Embedded {
  readonly server: ApiServer;
  readonly access: AdminAccess;
  /** Stops it, and fails when it failed at anything in the meantime. */
  stop(): Promise<void>;
}

/** What a suite may ask for. */
export interface EmbeddedOptions extends Pick<
  StandardServerOptions,
  "from" | "certificates" | "signingKey" | "history" | "nodes"
> {
  /** Default: one that is free. */
  readonly port?: number;
}

/** Starts an embedded API server with everything it has, and as the real one of `tools/kube` is set up: without accounts of pods. */
export async function startEmbedded({ port, ...options }: EmbeddedOptions = {}): Promise<Embedded> {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const server = new ApiServer(
    standardOptions({
      ...options,
      onError,
      observer: { panicked: (_, error) => onError(error) },
      disabledSteps: ["ServiceAccount"],
    }),
  );
  const { url } = await server.listen(port === undefined ? {} : { port });
  const { cert, key } = server.certificates.client(adminIdentity);
  return {
    server,
    access: { server: url, ca: server.certificates.ca, cert, key },
    stop: async () => {
      await server.stop();
      if (errors.length > 0) throw new AggregateError(errors, "the embedded server failed");
    },
  };
}
