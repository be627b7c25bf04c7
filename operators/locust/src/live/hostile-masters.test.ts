import { ServerCertificates } from "@homeostat/apiserver";
import { connect } from "@homeostat/client";
import { FakeClock } from "@homeostat/core";
import { type ClientUnderTest, hostilePeerSuite } from "@homeostat/hostile-peers";
import { type MasterWeb, podWeb, proxyWeb } from "./web-api.ts";

const timeoutMs = 3_000;
const bodyBytesMax = 1_048_576;

/** Reads the statistics of a master on a port of this machine. `send` of a `MasterWeb` never rejects, so no error is typed. */
function clientOf({
  isTls = false,
  web = podWeb(),
}: {
  readonly isTls?: boolean;
  readonly web?: MasterWeb;
}): ClientUnderTest {
  const clock = new FakeClock();
  return {
    async send({ host: ip, port, signal }) {
      using timeout = clock.timeout(timeoutMs);
      const address = { namespace: "shop", pod: "m", ip, port, basePath: "", isTls };
      const signals = AbortSignal.any([signal, timeout.signal]);
      await web.send(address, { method: "GET", path: "/stats/requests", signal: signals, bodyBytesMax });
    },
    expire: () => clock.advance(timeoutMs),
    isTyped: () => false,
  };
}

hostilePeerSuite("podWeb", () => clientOf({}), { bodyBytesMax });

const certificate = new ServerCertificates({ hosts: ["somewhere.else"] }).server;
hostilePeerSuite("podWeb with TLS", () => clientOf({ isTls: true }), { bodyBytesMax, certificate: () => certificate });

// The peer simulates an API server that forwards the responses of the master.
hostilePeerSuite(
  "proxyWeb",
  () => {
    const close = new AbortController();
    const send: MasterWeb["send"] = async (address, request) => {
      const transport = connect({ server: `http://${address.ip}:${address.port}` }, { env: {} });
      close.signal.addEventListener("abort", () => transport.close());
      return proxyWeb(transport).send(address, request);
    };
    return { ...clientOf({ web: { send } }), close: () => close.abort() };
  },
  { bodyBytesMax },
);
