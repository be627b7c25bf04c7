/** Returns the path of a request without its query, which is too long for error messages. */
export function pathWithoutQuery(path: string): string {
  const query = path.indexOf("?");
  return query < 0 ? path : path.slice(0, query);
}
