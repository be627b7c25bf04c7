import type { LocustTestInput, LocustTestV1Input } from "../api/locust-test.ts";

type SpecV2 = LocustTestInput["spec"];
type SpecV1 = LocustTestV1Input["spec"];
type TolerationV1 = NonNullable<SpecV1["tolerations"]>[number];
type Texts = Record<string, string>;

/** As much of a v2 spec as v1 can say. */
export function down(spec: SpecV2): SpecV1 {
  const { master, worker, testFiles, imagePullSecrets = [] } = spec;
  const labels = perRole(master.labels, worker.labels);
  const annotations = perRole(master.annotations, worker.annotations);
  const nodes = nodesOf(spec);
  const tolerations = tolerationsOf(spec);
  return {
    image: spec.image,
    ...(spec.imagePullPolicy !== undefined && { imagePullPolicy: spec.imagePullPolicy }),
    ...(imagePullSecrets.length > 0 && { imagePullSecrets: imagePullSecrets.map(({ name = "" }) => name) }),
    masterCommandSeed: master.command,
    workerCommandSeed: worker.command,
    workerReplicas: worker.replicas,
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
    ...(testFiles?.configMapRef !== undefined && { configMap: testFiles.configMapRef }),
    ...(testFiles?.libConfigMapRef !== undefined && { libConfigMap: testFiles.libConfigMapRef }),
    ...(nodes !== undefined && {
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: nodes } },
    }),
    ...(tolerations.length > 0 && { tolerations }),
  };
}

function perRole(master: Texts = {}, worker: Texts = {}): { master?: Texts; worker?: Texts } | undefined {
  const isEmpty = (texts: Texts): boolean => Object.keys(texts).length === 0;
  if (isEmpty(master) && isEmpty(worker)) return undefined;
  return { ...(!isEmpty(master) && { master }), ...(!isEmpty(worker) && { worker }) };
}

/** Every expression that asks for a value, as key and first value; of two for a key the later one. */
function nodesOf({ scheduling }: SpecV2): Texts | undefined {
  const required = scheduling?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const found = (required?.nodeSelectorTerms ?? []).flatMap(({ matchExpressions = [] }) =>
    matchExpressions.flatMap(({ key, operator, values = [] }): [string, string][] => {
      const [first] = values;
      return operator === "In" && first !== undefined ? [[key, first]] : [];
    }),
  );
  // Object.fromEntries defines properties, so that a key such as `__proto__` stays a key.
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/**
 * The tolerations that v1 can say: those with a key, an effect, and one of two operators.
 *
 * An object with others would not be valid in v1, and could not be written through it.
 */
function tolerationsOf({ scheduling }: SpecV2): TolerationV1[] {
  return (scheduling?.tolerations ?? []).flatMap(({ key, operator = "Equal", value, effect }): TolerationV1[] => {
    if (key === undefined || (operator !== "Exists" && operator !== "Equal")) return [];
    if (effect !== "NoSchedule" && effect !== "PreferNoSchedule" && effect !== "NoExecute") return [];
    return [{ key, operator, ...(value !== undefined && { value }), effect }];
  });
}
