// The ways in which a peer misbehaves, each at one stage of an exchange. The list is long because it is a table.

/** One way to misbehave. */
export interface HostilePeer {
  readonly name: string;
  /** The stage at which `act` takes over. Default: the head of the request has arrived. */
  readonly at?: "connect" | "request";
  /** The peer sends one well-formed response first, so a client may keep the connection until it is closed. */
  readonly isComplete?: boolean;
  /** The client discards what the peer sends, so that it takes no memory and only a deadline ends it. */
  readonly isDiscarded?: boolean;
  act(socket: PeerSocket): void;
}

/** The connection of a peer. */
export interface PeerSocket {
  write(text: string): void;
  /** Sends a FIN and keeps reading. */
  halfClose(): void;
  /** Sends a RST. */
  reset(): void;
  /** Writes the same text until the client closes the connection, as fast as the client reads. */
  flood(text: string): void;
  /** Writes the text byte by byte, then repeats `rest` byte by byte until the client closes the connection. */
  drip(text: string, rest: string): void;
}

const ok = "HTTP/1.1 200 OK\r\n";
const sized = `${ok}content-type: application/json\r\ncontent-length: 100\r\n\r\n`;
const chunked = `${ok}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
const whole = `${ok}content-type: application/json\r\ncontent-length: 2\r\n\r\n{}`;

const stages: readonly [stage: string, sent: string][] = [
  ["after the request", ""],
  ["in the status line", "HTTP/1.1 2"],
  ["in the headers", `${ok}content-type: app`],
  ["after the headers", sized],
  ["in the body", `${sized}{"a":`],
  ["before a chunk", chunked],
  ["in a chunk", `${chunked}10\r\n{"a":`],
  ["before the trailers", `${chunked}2\r\n{}\r\n0\r\n`],
];

/** Silence, half-close and reset at each stage. */
const breaks: readonly HostilePeer[] = stages.flatMap(([stage, sent]) => [
  { name: `is silent ${stage}`, act: (socket) => socket.write(sent) },
  {
    name: `half-closes ${stage}`,
    act: (socket) => {
      socket.write(sent);
      socket.halfClose();
    },
  },
  {
    name: `resets ${stage}`,
    act: (socket) => {
      socket.write(sent);
      socket.reset();
    },
  },
]);

/** Responses as they stand; the peer is silent afterwards. */
const responses: Readonly<Record<string, string>> = {
  "switches protocols with an Upgrade header":
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\r\n",
  "switches protocols without an Upgrade header": "HTTP/1.1 101 Switching Protocols\r\n\r\n",
  "switches protocols and goes on": `HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: Upgrade\r\n\r\n${whole}`,
  "switches protocols after an interim response":
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: Upgrade\r\n\r\n",
  "offers an upgrade with a response that has no end": `${ok}upgrade: h2c\r\nconnection: Upgrade\r\ncontent-length: 100\r\n\r\n`,
  "responds as a proxy does to CONNECT": "HTTP/1.1 200 Connection established\r\n\r\n",
  "sends an interim response and nothing else": "HTTP/1.1 100 Continue\r\n\r\n",
  "sends another protocol": "SSH-2.0-OpenSSH_9.6\r\n",
  "sends HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000",
  "sends a status that is not a number": "HTTP/1.1 abc OK\r\ncontent-length: 2\r\n\r\n{}",
  "sends two different lengths": `${ok}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`,
  "sends a length and chunks": `${ok}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  "sends a length that is not a number": `${ok}content-length: two\r\n\r\n{}`,
  "sends a negative length": `${ok}content-length: -2\r\n\r\n{}`,
  "sends an absurd length": `${ok}content-length: 999999999999999999999\r\n\r\n{}`,
  "sends a chunk size that is not a number": `${chunked}xyz\r\n{}\r\n0\r\n\r\n`,
  "sends a negative chunk size": `${chunked}-2\r\n{}\r\n0\r\n\r\n`,
  "sends an absurd chunk size": `${chunked}fffffffffffffffffff\r\n{}`,
  "sends a chunk that is longer than its size": `${chunked}1\r\n{}\r\n0\r\n\r\n`,
  "sends one header of a megabyte": `${ok}x-large: ${"a".repeat(1_048_576)}\r\ncontent-length: 2\r\n\r\n{}`,
  "sends a header without a name": `${ok}: value\r\ncontent-length: 2\r\n\r\n{}`,
};

/** Well-formed responses with something after them. */
const complete: Readonly<Record<string, string>> = {
  "sends trailers": `${chunked}2\r\n{}\r\n0\r\nx-checksum: 1\r\nx-more: 2\r\n\r\n`,
  "sends garbage after the response": `${whole}GARBAGE\u0000\u0001\r\n\r\n`,
  "sends a second response": `${whole}${whole}`,
  "sends a body that is longer than its length": `${whole}{}{}{}`,
  "sends 101 after the response": `${whole}HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: Upgrade\r\n\r\n`,
};

const floods: Readonly<Record<string, readonly [sent: string, repeated: string]>> = {
  "sends 100 Continue without end": ["", "HTTP/1.1 100 Continue\r\n\r\n"],
  "sends 102 Processing without end": ["", "HTTP/1.1 102 Processing\r\n\r\n"],
  "sends 103 Early Hints without end": ["", "HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n"],
  "sends headers without end": [ok, "x-header: value\r\n"],
  "sends a header without end": [`${ok}x-header: `, "a".repeat(1_024)],
  "sends a chunked body without end": [chunked, `400\r\n${" ".repeat(1_024)}\r\n`],
  "sends an unsized body without end": [`${ok}content-type: application/json\r\n\r\n`, " ".repeat(1_024)],
  "sends trailers without end": [`${chunked}2\r\n{}\r\n0\r\n`, "x-trailer: value\r\n"],
  "sends a chunk extension without end": [`${chunked}2;`, "a".repeat(1_024)],
};

const drips: Readonly<Record<string, readonly [sent: string, repeated: string]>> = {
  "drips headers": ["HTTP/1.1 200 OK\r\n", "x-header: value\r\n"],
  "drips interim responses": ["HTTP/1.1 ", "102 Processing\r\n\r\nHTTP/1.1 "],
  "drips a body": [`${ok}content-length: 1000000\r\n\r\n`, " "],
  "drips chunks": [chunked, "1\r\n \r\n"],
};

/** Every peer of the suite. */
export const hostilePeers: readonly HostilePeer[] = [
  { name: "is silent after connect", at: "connect", act: () => undefined },
  { name: "half-closes after connect", at: "connect", act: (socket) => socket.halfClose() },
  { name: "resets after connect", at: "connect", act: (socket) => socket.reset() },
  { name: "speaks before the request", at: "connect", act: (socket) => socket.write(`${ok}content-length: 9\r\n\r\n`) },
  ...breaks,
  ...Object.entries(responses).map(([name, text]): HostilePeer => ({ name, act: (socket) => socket.write(text) })),
  ...Object.entries(complete).map(([name, text]): HostilePeer => ({
    name,
    isComplete: true,
    act: (socket) => socket.write(text),
  })),
  ...Object.entries(floods).map(([name, [sent, repeated]]): HostilePeer => ({
    name,
    act: (socket) => {
      socket.write(sent);
      socket.flood(repeated);
    },
  })),
  { name: "sends empty lines without end", isDiscarded: true, act: (socket) => socket.flood("\r\n") },
  ...Object.entries(drips).map(([name, [sent, repeated]]): HostilePeer => ({
    name,
    act: (socket) => socket.drip(sent, repeated),
  })),
];
