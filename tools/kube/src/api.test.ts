import { DeadlineError, NetworkError } from "@homeostat/core";
import { hostilePeerSuite } from "@homeostat/hostile-peers";
import { requestApi } from "./api.ts";

// The tool has no clock of its own: it waits for programs of the operating system. Its timeout is short instead.
const timeoutMs = 50;

hostilePeerSuite("requestApi", () => ({
  send: ({ host, port, signal }) => requestApi({ server: `http://${host}:${port}` }, { path: "/", timeoutMs, signal }),
  expire: () => Promise.resolve(),
  isTyped: (error) => error instanceof NetworkError || error instanceof DeadlineError,
}));
