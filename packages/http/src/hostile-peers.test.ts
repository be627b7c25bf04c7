import { FakeClock, NetworkError } from "@homeostat/core";
import { hostilePeerSuite } from "@homeostat/hostile-peers";
import { sendHttp } from "./request.ts";

const timeoutMs = 3_000;
const bodyBytesMax = 65_536;

hostilePeerSuite(
  "sendHttp",
  () => {
    const clock = new FakeClock();
    return {
      async send({ host, port, signal }) {
        using timeout = clock.timeout(timeoutMs);
        const signals = AbortSignal.any([signal, timeout.signal]);
        return await sendHttp({ method: "GET", host, port, path: "/", signal: signals, bodyBytesMax });
      },
      expire: () => clock.advance(timeoutMs),
      isTyped: (error) => error instanceof NetworkError || isDeadline(error),
    };
  },
  { bodyBytesMax },
);

function isDeadline(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "DEADLINE";
}
