export type { Carrier, CarrierHandlers } from "./carrier/carrier.ts";
export { SocketCarrier } from "./carrier/socket-carrier.ts";
export { ProtocolError, StreamRefusedError } from "./errors.ts";
export { goAwayCode, type GoAwayCode } from "./frames/frame.ts";
export { defaultMuxLimits, type MuxLimits } from "./mux/limits.ts";
export { Session, type SessionEnd, type SessionOptions } from "./mux/session.ts";
export type { MuxStream, StreamHandlers } from "./mux/stream.ts";
export { type SpliceEnd, spliceSocket } from "./splice/splice-socket.ts";
