/** A test of h2spec that fails, with the reason. The list may only shrink: a listed test that passes fails the suite. */
export interface H2specFailure {
  readonly id: string;
  readonly why: string;
}

const tableSize =
  "The proxy announces a header table of size 0, so that header blocks need no state. The test sends a larger size than that, which is an error (RFC 7541, 6.3).";

export const failures: readonly H2specFailure[] = [
  { id: "generic/5/14", why: tableSize },
  { id: "generic/5/15", why: tableSize },
  {
    id: "http2/3.5/2",
    why: "The port serves HTTP/1.1 as well. Bytes without the preface are not HTTP/2, and get a response of HTTP/1.1 instead of GOAWAY.",
  },
];
