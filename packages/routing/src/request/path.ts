/**
 * Returns the path of a request in the form that conditions are compared with, or undefined if it meets no condition.
 *
 * The path ends at the first `?` or `#`. Segments `.` and `..` are removed once, as RFC 3986, 5.2.4 does. Nothing is decoded: `%2e` is an ordinary
 * text. A path with an encoded slash or a NUL meets no condition, because servers disagree on its segments; the request is
 * forwarded nevertheless. Neither does a path that does not start with a slash, such as `*`.
 */
export function comparablePath(target: string): string | undefined {
  const end = endOfPath(target);
  const path = end === target.length ? target : target.slice(0, end);
  if (path.charCodeAt(0) !== slash || hasAmbiguousByte(path)) return undefined;
  return path.includes("/.") ? withoutDotSegments(path) : path;
}

const slash = 0x2f;

function endOfPath(target: string): number {
  const query = target.indexOf("?");
  const fragment = target.indexOf("#");
  if (query === -1) return fragment === -1 ? target.length : fragment;
  return fragment === -1 ? query : Math.min(query, fragment);
}

function hasAmbiguousByte(path: string): boolean {
  if (path.includes("\0")) return true;
  for (let at = path.indexOf("%"); at !== -1; at = path.indexOf("%", at + 1)) {
    if (path.startsWith("2f", at + 1) || path.startsWith("2F", at + 1) || path.startsWith("00", at + 1)) return true;
  }
  return false;
}

/** Removes `.` and `..` segments. A last segment of this kind leaves the slash before it: `/a/b/..` is `/a/`. */
function withoutDotSegments(path: string): string {
  const kept: string[] = [];
  const segments = path.slice(1).split("/");
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    if (segment === "..") kept.pop();
    else if (segment !== ".") kept.push(segment);
    if (isLast && (segment === "." || segment === "..")) kept.push("");
  }
  return `/${kept.join("/")}`;
}
