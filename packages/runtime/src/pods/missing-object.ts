import type { MissingObject } from "./pod-problem.ts";

const kinds: Readonly<Record<string, MissingObject["kind"]>> = {
  configmap: "ConfigMap",
  secret: "Secret",
  serviceaccount: "ServiceAccount",
  persistentvolumeclaim: "PersistentVolumeClaim",
};

/** `couldn't find key k in Secret team/a` */
const missingKey = /couldn't find key (\S{1,253}) in (configmap|secret) (?:[^/\s]{1,63}\/)?([^\s,]{1,253})/i;
/** `configmap "a" not found` */
const missingObject = /(configmap|secret|serviceaccount|persistentvolumeclaim)s? "([^"]{1,253})" not found/i;

/** Returns the missing object that a message of Kubernetes names; undefined when it names none. */
export function missingObjectIn(message: string): MissingObject | undefined {
  const [, key, holderKind = "", holder] = missingKey.exec(message) ?? [];
  if (key !== undefined && holder !== undefined) return { kind: kindOf(holderKind), name: holder, key };
  const [, kind = "", name] = missingObject.exec(message) ?? [];
  return name === undefined ? undefined : { kind: kindOf(kind), name };
}

function kindOf(word: string): MissingObject["kind"] {
  return kinds[word.toLowerCase()] ?? "ConfigMap";
}
