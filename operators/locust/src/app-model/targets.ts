const call =
  /\.client\.(get|post|put|patch|delete|head|options)\(\s*f?["']([^"'\n]{1,200})["'](?:[^()\n]*?\bname\s*=\s*["']([^"'\n]{1,200})["'])?/g;
const userClass = /^class\s+(\w+)\s*\(\s*(?:\w+\.)?(?:Fast)?HttpUser\b/gm;
const lengthMax = 200_000;
const targetsMax = 50;

/** What the users of a locustfile ask for, as far as it can be seen without running it. One target when nothing can. */
export function targetsOf(source: string | undefined): readonly { readonly method: string; readonly name: string }[] {
  const found = new Map<string, { method: string; name: string }>();
  for (const [, verb = "", path = "", name] of (source ?? "").slice(0, lengthMax).matchAll(call)) {
    const target = { method: verb.toUpperCase(), name: name ?? path };
    if (found.size < targetsMax) found.set(`${target.method} ${target.name}`, target);
  }
  return found.size === 0 ? [{ method: "GET", name: "/" }] : [...found.values()];
}

/** The name of the first class of users in a locustfile. */
export function userClassOf(source: string | undefined): string {
  for (const [, name = ""] of (source ?? "").slice(0, lengthMax).matchAll(userClass)) return name;
  return "User";
}
