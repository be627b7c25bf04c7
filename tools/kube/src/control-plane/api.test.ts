import { DeadlineError, NetworkError } from "@homeostat/core";
import { hostilePeerSuite } from "@homeostat/hostile-peers";
import { requestApi } from "./api.ts";

// The tool uses no fake clock, because it waits for real processes. Timeouts are short instead.
const timeoutMs = 50;

hostilePeerSuite("requestApi", () => ({
  send: ({ host, port, signal }) => requestApi({ server: `http://${host}:${port}` }, { path: "/", timeoutMs, signal }),
  expire: () => Promise.resolve(),
  isTyped: (error) => error instanceof NetworkError || error instanceof DeadlineError,
}));
