// Messages of the process that serves webhooks.

import type { Target } from "./attack.ts";

/** Sent once, when the process accepts connections. */
export interface Listening {
  readonly port: number;
  /** The certificate authority of the server. */
  readonly ca: string;
  readonly paths: Readonly<Record<Target, string>>;
}

/** The longest turn of the event loop since the last question, which any message is. */
export interface Turns {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly rssBytes: number;
}
