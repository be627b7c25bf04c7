/** The path of a request without its query, which may hold more than belongs into a message. */
export function pathOnly(path: string): string {
  const query = path.indexOf("?");
  return query < 0 ? path : path.slice(0, query);
}
