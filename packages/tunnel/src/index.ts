// Sessions: many streams over one connection
export type { Carrier, CarrierHandlers } from "./carrier/carrier.ts";
export { SocketCarrier } from "./carrier/socket-carrier.ts";
export { goAwayCode, type GoAwayCode } from "./frames/frame.ts";
export { defaultMuxLimits, type MuxLimits } from "./mux/limits.ts";
export { Session, type SessionEnd, type SessionOptions } from "./mux/session.ts";
export type { MuxStream, StreamHandlers } from "./mux/stream.ts";
export { type SpliceEnd, spliceSocket } from "./splice/splice-socket.ts";

// Tunnels: sessions of authenticated machines
export {
  acceptTunnel,
  type AcceptedTunnel,
  type AcceptTunnelOptions,
  type AttachVerdict,
} from "./attach/accept-tunnel.ts";
export { type AttachedTunnel, attachTunnel, type AttachTunnelOptions } from "./attach/attach-tunnel.ts";
export { FailureLimit, type FailureLimitOptions } from "./attach/failure-limit.ts";
export {
  type Attachment,
  type AttachmentState,
  keepAttached,
  type KeepAttachedOptions,
} from "./attach/keep-attached.ts";
export { isPublicKey, machineId, MachineKey, type SignedFacts } from "./handshake/machine-key.ts";
export type { Hello, Welcome } from "./handshake/messages.ts";

export { AttachRefusedError, ProtocolError, StreamRefusedError } from "./errors.ts";
