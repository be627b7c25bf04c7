const call =
  /\.client\.(get|post|put|patch|delete|head|options)\(\s*f?["']([^"'\n]{1,200})["'](?:[^()\n]*?\bname\s*=\s*["']([^"'\n]{1,200})["'])?/g;
const userClass = /^class\s+(\w+)\s*\(\s*(?:\w+\.)?(?:Fast)?HttpUser\b/gm;
const lengthMax = 200_000;
const targetsMax = 50;

/** Returns the requests in a locustfile, found by a regular expression without running it; `GET /` if none is found. */
export function targetsOf(source: string | undefined): readonly { readonly method: string; readonly name: string }[] {
  const found = new Map<string, { method: string; name: string }>();
  for (const [, verb = "", path = "", name] of (source ?? "").slice(0, lengthMax).matchAll(call)) {
    const target = { method: verb.toUpperCase(), name: name ?? path };
    if (found.size < targetsMax) found.set(`${target.method} ${target.name}`, target);
  }
  return found.size === 0 ? [{ method: "GET", name: "/" }] : [...found.values()];
}

/** Returns the name of the first user class in a locustfile; `User` if none is found. */
export function userClassOf(source: string | undefined): string {
  for (const [, name = ""] of (source ?? "").slice(0, lengthMax).matchAll(userClass)) return name;
  return "User";
}
