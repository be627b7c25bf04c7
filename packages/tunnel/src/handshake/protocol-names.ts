/** ALPN name of a tunnel on a bare TLS connection. */
export const tunnelAlpn = "sandbox-tunnel.v1";

/** WebSocket sub-protocol of a tunnel, on HTTP/1.1 and on HTTP/2. */
export const tunnelSubprotocol = "sandbox-tunnel.v1";

/** Path of a tunnel on HTTP. */
export const tunnelPath = "/v1/tunnel";

/**
 * Name in the certificate of every tunnel server, whatever its address. Clients that pin the authority check it, so that another server with a
 * certificate of the same authority cannot pose as the tunnel server.
 */
export const tunnelServerName = "sandbox-tunnel";

/**
 * Ways to reach a tunnel server, in the order in which clients try them: `tls` is a bare TLS connection, `wss` a WebSocket, `h2` a WebSocket on a stream
 * of HTTP/2 (RFC 8441), `kube` a bare TLS connection through the port-forward of the API server.
 */
export const transportNames = ["tls", "wss", "h2", "kube"] as const;
/** One of {@link transportNames}. */
export type TransportName = (typeof transportNames)[number];
