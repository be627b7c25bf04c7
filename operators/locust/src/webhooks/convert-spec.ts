import type { LocustTestInput, LocustTestV1 } from "../api/locust-test.ts";

type SpecV1 = LocustTestV1["spec"];
type SpecV2 = LocustTestInput["spec"];

/** The v2 form of a v1 spec. It adds no defaults but the two that v1 always meant: the test starts and ends by itself. */
export function up(spec: SpecV1): SpecV2 {
  const { imagePullSecrets = [], labels, annotations } = spec;
  const files = filesOf(spec);
  const scheduling = schedulingOf(spec);
  return {
    image: spec.image,
    ...policyOf(spec),
    ...(imagePullSecrets.length > 0 && { imagePullSecrets: imagePullSecrets.map((name) => ({ name })) }),
    master: {
      command: spec.masterCommandSeed,
      ...(labels?.master !== undefined && { labels: labels.master }),
      ...(annotations?.master !== undefined && { annotations: annotations.master }),
      autostart: true,
      autoquit: { enabled: true, timeout: 60 },
    },
    worker: {
      command: spec.workerCommandSeed,
      replicas: spec.workerReplicas,
      ...(labels?.worker !== undefined && { labels: labels.worker }),
      ...(annotations?.worker !== undefined && { annotations: annotations.worker }),
    },
    ...(files !== undefined && { testFiles: files }),
    ...(scheduling !== undefined && { scheduling }),
  };
}

/** Older tests may say nothing by an empty text. */
function policyOf({ imagePullPolicy }: SpecV1): Pick<SpecV2, "imagePullPolicy"> {
  return imagePullPolicy ? { imagePullPolicy } : {};
}

function filesOf({ configMap = "", libConfigMap = "" }: SpecV1): SpecV2["testFiles"] {
  if (configMap === "" && libConfigMap === "") return undefined;
  return {
    ...(configMap !== "" && { configMapRef: configMap }),
    ...(libConfigMap !== "" && { libConfigMapRef: libConfigMap }),
  };
}

function schedulingOf({ affinity, tolerations = [] }: SpecV1): SpecV2["scheduling"] {
  if (affinity === undefined && tolerations.length === 0) return undefined;
  const wanted = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? {};
  const matchExpressions = Object.keys(wanted)
    .sort()
    .map((key) => ({ key, operator: "In" as const, values: [wanted[key] ?? ""] }));
  return {
    ...(matchExpressions.length > 0 && {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
        },
      },
    }),
    ...(tolerations.length > 0 && { tolerations: tolerations.map((toleration) => ({ ...toleration })) }),
  };
}
