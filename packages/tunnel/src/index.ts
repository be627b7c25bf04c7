// Sessions: many streams over one connection
export type { Carrier, CarrierHandlers } from "./carrier/carrier.ts";
export { SocketCarrier } from "./carrier/socket-carrier.ts";
export { goAwayCode, type GoAwayCode } from "./frames/frame.ts";
export { defaultMuxLimits, type MuxLimits } from "./mux/limits.ts";
export { Session, type SessionEnd, type SessionOptions } from "./mux/session.ts";
export type { MuxStream, StreamHandlers } from "./mux/stream.ts";
export { type SpliceEnd, spliceSocket, type SplicedStream } from "./splice/splice-socket.ts";

// Streams with a first line that says what they are for
export { acceptStream, type AcceptStreamOptions, type OfferedStream } from "./streams/accept-stream.ts";
export { FirstLineStream, type FirstLineOptions } from "./streams/first-line-stream.ts";
export { openStream, type OpenStreamOptions } from "./streams/open-stream.ts";

// Clients: connections to a tunnel server, authentication, reconnects
export {
  type AttachedHandlers,
  type AttachedTunnel,
  type AttachIdentity,
  attachTunnel,
  type AttachTunnelOptions,
} from "./attach/attach-tunnel.ts";
export {
  type Attachment,
  type AttachmentState,
  keepAttached,
  type KeepAttachedOptions,
} from "./attach/keep-attached.ts";
export type { TunnelEnd } from "./attach/tunnel-end.ts";
export { connectThroughProxy } from "./dial/connect-through-proxy.ts";
export { dialAttachment, type DialedAttachment } from "./dial/dial-attachment.ts";
export { type DialedTunnel, dialTunnel, type DialTunnelOptions } from "./dial/dial-tunnel.ts";
export { type TransportName, transportNames, tunnelServerName } from "./handshake/protocol-names.ts";
export type { TunnelTrust } from "./dial/secure-connection.ts";
export { openPortForward, type OpenPortForwardOptions } from "./websocket/port-forward.ts";
export type { RandomBytes } from "./websocket/websocket.ts";

// Servers: connections of clients, authentication
export {
  acceptTunnel,
  type AcceptedTunnel,
  type AcceptTunnelOptions,
  type AttachVerdict,
} from "./attach/accept-tunnel.ts";
export { FailureLimit, type FailureLimitOptions } from "./attach/failure-limit.ts";
export { type AcceptedCarrier, CarrierServer, type CarrierServerOptions } from "./carrier/accept-carriers.ts";

// Keys and messages
export { isPublicKey, machineId, MachineKey, type SignedFacts } from "./handshake/machine-key.ts";
export {
  type Bye,
  type ByeReason,
  type Hello,
  type InboundStream,
  type Message,
  type OutboundStream,
  type PortState,
  protocolVersions,
  type RefuseReason,
  type StreamErrorCode,
  type VersionRange,
  type Welcome,
} from "./handshake/messages.ts";

export {
  AttachRefusedError,
  ProtocolError,
  StreamFailedError,
  StreamRefusedError,
  TunnelUnreachableError,
  TunnelUntrustedError,
  TunnelVersionError,
} from "./errors.ts";
