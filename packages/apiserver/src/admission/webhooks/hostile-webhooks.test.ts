import { FakeClock } from "@homeostat/core";
import { hostilePeerSuite } from "@homeostat/hostile-peers";
import { ServerCertificates } from "../../http/server-certificates.ts";
import { WebhookClient } from "./webhook-client.ts";
import { WebhookCallError } from "./webhook-errors.ts";

const { server, ca } = new ServerCertificates({ hosts: ["127.0.0.1"] });

hostilePeerSuite(
  "the webhook client",
  () => {
    const clock = new FakeClock();
    const client = new WebhookClient({ clock, resolveService: () => "service not found" });
    return {
      send: ({ host, port, signal }) => {
        const target = { url: `https://${host}:${port}/validate`, caBundle: Buffer.from(ca).toString("base64") };
        return client.post(target, "{}", { timeoutSeconds: 10, signal });
      },
      expire: () => clock.advance(10_000),
      isTyped: (error) => error instanceof WebhookCallError,
      close: () => client.close(),
    };
  },
  { certificate: () => server, bodyBytesMax: 16 * 1_024 * 1_024 },
);
