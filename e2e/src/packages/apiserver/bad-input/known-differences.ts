// Where the embedded server answers bad input otherwise than the real one, with the reason. The number may only fall.

/** How many known differences there are. */
export const differencesMax = 21;

const lenient = "Node's parser takes it for the request that is meant";
const strict = "Node's parser is stricter than Go's";
const twoLengths = "two ways to read one body: what smuggles requests past a proxy is refused here, as RFC 9112 allows";
const bytesAsText = "bytes that are no UTF-8 are shown as U+FFFD: texts of JavaScript cannot hold them";
const chunkFault = "the real server calls a fault of the client one of its own (500)";

/** The shapes that differ, by name, and why. */
export const knownDifferences: ReadonlyMap<string, string> = new Map([
  ["an empty line and nothing else", "Node's parser passes over empty lines, and nothing came after this one"],
  ["two spaces before the path", lenient],
  ["two spaces after the path", lenient],
  ["bytes above ASCII in the path", strict],
  ["HTTP/0.9", "Node's parser does not tell it from a line without a version, which Go answers with 400"],
  ["HTTP/1.9", strict],
  ["line ends without a return", strict],
  ["a space before the colon", "both refuse it; Node's parser before it is known that no Host follows"],
  ["a folded header", strict],
  ["UTF-8 that is none, in percent form", bytesAsText],
  ["length and chunks together", twoLengths],
  ["chunks and length together", twoLengths],
  ["two lengths that agree", twoLengths],
  ["a chunk without a size", chunkFault],
  ["a chunk beyond all numbers", chunkFault],
  ["a chunk that is longer than it says", chunkFault],
  ["garbage before TLS", "Node gives the bytes away to TLS, which closes the connection"],
  ["YAML 20,000 deep", "the parsers of YAML have limits of their own, and words for them"],
  ["an apply 20,000 deep", "the parsers of YAML have limits of their own, and words for them"],
  ["protobuf 5,000 deep", bytesAsText],
  ["a pattern with a hostile nest", "both refuse it as nested too deep; the message ends otherwise"],
]);
