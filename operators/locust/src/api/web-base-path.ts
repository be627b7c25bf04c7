// The path prefix of the master's web API. It becomes part of URLs that the operator and the exporter request, also through
// the API server's proxy, so it must not redirect requests to another path or host.

const lengthMax = 1024;

// Segments of the unreserved characters, sub-delimiters, `:` and `@` of RFC 3986. `%` is omitted: it could hide a dot or a slash.
const pattern = /^(?:\/[A-Za-z0-9\-._~!$&'()*+,;=:@]+)*\/?$/;

/** Returns the problem of a base path; undefined for a valid one. */
export function webBasePathProblem(text: string): string | undefined {
  if (text.length > lengthMax) return `must have at most ${lengthMax} characters`;
  if (text !== "" && !text.startsWith("/")) return "must start with /";
  if (text.split("/").some((segment) => segment === "." || segment === ".."))
    return 'must not have the segment "." or ".."';
  if (text.includes("//")) return "must not have an empty segment";
  if (!pattern.test(text)) return "must have only letters, digits and -._~!$&'()*+,;=:@ between slashes";
  return undefined;
}
