import { connect, type OnReadOpts, type Socket } from "node:net";
import { splitAddress } from "./address.ts";

/**
 * Opens a connection to an address `host:port`. With `onread`, the socket may read into its buffers and call it in place of emitting `data`; other
 * kinds of sockets ignore it.
 */
export type Connect = (address: string, onread?: OnReadOpts) => Socket;

/** Opens a TCP connection. The peer may close its direction first, as upgraded connections do. */
export const connectTcp: Connect = (address, onread) =>
  connect({ ...splitAddress(address), allowHalfOpen: true, noDelay: true, ...(onread !== undefined && { onread }) });
