import { StatusError } from "@homeostat/apiserver";
import { FakeClock, HomeostatError } from "@homeostat/core";
import { hostilePeerSuite } from "@homeostat/hostile-peers";
import { Network } from "../node/network.ts";
import { runProbe } from "../node/run-probe.ts";
import { forward } from "./pod-proxy.ts";

const ip = "10.0.0.1";
const port = 8080;

hostilePeerSuite("a request to a pod's proxy", () => {
  const clock = new FakeClock();
  return {
    async send({ host, port, signal }) {
      using timeout = clock.timeout(60_000);
      const signals = AbortSignal.any([signal, timeout.signal]);
      const response = await forward({ method: "GET", host, port, path: "/", signal: signals });
      for await (const _ of response.stream);
    },
    expire: () => clock.advance(60_000),
    // A body that breaks off reaches the client as a broken connection.
    isTyped: (error) => error instanceof StatusError || error instanceof HomeostatError || isBrokenBody(error),
  };
});

for (const kind of ["httpGet", "tcpSocket"] as const) {
  hostilePeerSuite(`a probe by ${kind}`, () => {
    const clock = new FakeClock();
    return {
      async send({ host, port: listening, signal }) {
        const network = new Network();
        using _ = network.bind(ip, port, { host, port: listening });
        const program = { servesPorts: true, terminate: () => undefined, kill: () => undefined };
        return await runProbe(
          { [kind]: { port }, timeoutSeconds: 1 },
          { container: { name: "main" }, ip, program, network, clock, signal },
        );
      },
      expire: () => clock.advance(1_000),
      isTyped: () => false,
    };
  });
}

function isBrokenBody(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
