import { adminIdentity, ApiServer, standardOptions, type StandardServerOptions } from "@homeostat/apiserver";

/** URL and administrator credentials of an API server. */
export interface AdminAccess {
  readonly server: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** The embedded API server, listening on loopback. */
export interface Embedded {
  readonly server: ApiServer;
  readonly access: AdminAccess;
  /** Stops the server. Rejects if any internal error occurred. */
  stop(): Promise<void>;
}

/** Options of the embedded API server in suites. */
export interface EmbeddedOptions extends Pick<
  StandardServerOptions,
  "from" | "certificates" | "signingKey" | "history" | "nodes"
> {
  /** Default: a free port. */
  readonly port?: number;
}

/** Starts the embedded API server configured like the real one of `tools/kube`: without the ServiceAccount admission plugin. */
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
      if (errors.length > 0) throw new AggregateError(errors, "the embedded API server had internal errors");
    },
  };
}
