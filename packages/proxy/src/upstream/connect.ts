import { connect, type Socket } from "node:net";
import { splitAddress } from "./address.ts";

/** Opens a connection to an address `host:port`. */
export type Connect = (address: string) => Socket;

/** Opens a TCP connection. The peer may close its direction first, as upgraded connections do. */
export const connectTcp: Connect = (address) =>
  connect({ ...splitAddress(address), allowHalfOpen: true, noDelay: true });
