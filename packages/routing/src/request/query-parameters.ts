/** Returns the value of the first query parameter with a name as it was received, or undefined. */
export function readParameter(path: string, name: string): string | undefined {
  const start = path.indexOf("?");
  if (start === -1 || !path.includes(name, start)) return undefined;
  const found = queryOf(path, start).find((each) => isParameter(each, name));
  return found?.slice(name.length + 1);
}

/** Returns path and query without the parameters of these names. Other parameters keep their bytes. */
export function withoutParameters(path: string, names: readonly string[]): string {
  const start = path.indexOf("?");
  if (start === -1 || !names.some((name) => path.includes(name, start))) return path;
  const parameters = queryOf(path, start);
  const kept = parameters.filter((each) => !names.some((name) => isParameter(each, name)));
  if (kept.length === parameters.length) return path;
  return `${path.slice(0, start)}${kept.length === 0 ? "" : `?${kept.join("&")}`}`;
}

function queryOf(path: string, start: number): string[] {
  const fragment = path.indexOf("#", start);
  return path.slice(start + 1, fragment === -1 ? path.length : fragment).split("&");
}

function isParameter(parameter: string, name: string): boolean {
  return parameter.startsWith(`${name}=`) || parameter === name;
}
