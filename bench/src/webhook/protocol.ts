// Messages of the process that serves webhooks.

/** Sent once, when the process accepts connections. */
export interface Listening {
  readonly port: number;
  /** The certificate authority of the server. */
  readonly ca: string;
  readonly paths: { readonly admission: string; readonly conversion: string };
}

/** The longest turn of the event loop since the last question, which any message is. */
export interface Turns {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly rssBytes: number;
}
