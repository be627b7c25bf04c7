// Malformed requests to which the embedded server responds differently from the real one, with the reason. The number may only fall.

/** Number of known differences. */
export const differencesMax = 21;

const lenient = "Node's parser accepts it as the intended request";
const strict = "Node's parser is stricter than Go's";
const twoLengths =
  "ambiguous body length: rejected here, because it can smuggle requests past a proxy, as RFC 9112 allows";
const bytesAsText = "invalid UTF-8 is shown as U+FFFD, because JavaScript strings cannot contain it";
const chunkFault = "the real server responds with 500 to a fault of the client";

/** The differing shapes by name, with the reason. */
export const knownDifferences: ReadonlyMap<string, string> = new Map([
  ["only an empty line", "Node's parser skips empty lines and waits for more"],
  ["two spaces before the path", lenient],
  ["two spaces after the path", lenient],
  ["bytes above ASCII in the path", strict],
  ["HTTP/0.9", "Node's parser does not distinguish it from a line without a version, for which Go returns 400"],
  ["HTTP/1.9", strict],
  ["line ends without CR", strict],
  ["a space before the colon", "both reject it; Node's parser does so before the missing Host is noticed"],
  ["a folded header", strict],
  ["invalid UTF-8, percent-encoded", bytesAsText],
  ["Content-Length before Transfer-Encoding", twoLengths],
  ["Transfer-Encoding before Content-Length", twoLengths],
  ["two equal lengths", twoLengths],
  ["a chunk without a size", chunkFault],
  ["a chunk size over 64 bits", chunkFault],
  ["a chunk longer than its size", chunkFault],
  ["garbage before TLS", "Node passes the bytes to TLS, which closes the connection"],
  ["YAML 20,000 deep", "the YAML parsers have different limits and messages"],
  ["an apply 20,000 deep", "the YAML parsers have different limits and messages"],
  ["protobuf 5,000 deep", bytesAsText],
  ["a pattern that is nested too deep", "both reject it as nested too deep; the messages end differently"],
]);
