// The values of a chart, described once: values.yaml with its comments and values.schema.json are both generated from them.

import { toYaml } from "@homeostat/schema";
import { defaultContainerSecurity, defaultPodSecurity, defaultResources } from "../manifests/deployment.ts";
import { ports } from "../installation/names.ts";
import { defaultEgressPorts } from "../manifests/network-policy.ts";
import type { Operator } from "../definition/operator.ts";
import type { Flag } from "../flags/flag.ts";
import type { OperatorSettings } from "../installation/options.ts";
import { splitImage } from "./image.ts";
import { formerRoots, type VariableValue, variableValues } from "./variables.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** A value of the chart. */
interface Value {
  readonly comment: string;
  readonly value: unknown;
  readonly schema: JsonSchema;
}

/** Values and groups of values, by name. */
interface Values {
  readonly [name: string]: Value | { readonly comment: string; readonly values: Values };
}

const text: JsonSchema = { type: "string" };
const port: JsonSchema = { type: "integer", minimum: 1, maximum: 65_535 };
const names: JsonSchema = { type: "array", items: { type: ["object", "string"] } };
const flagged: JsonSchema = { type: "boolean" };
const anything: JsonSchema = { type: "object" };
const texts: JsonSchema = { type: "object", additionalProperties: { type: "string" } };
const objects: JsonSchema = { type: "array", items: { type: "object" } };
const labels: JsonSchema = { type: "array", items: { type: "string", minLength: 1 } };

/** Returns the values of an operator's chart. */
export function valuesOf(operator: Operator, settings: OperatorSettings = {}): Values {
  const { chartVariables, chartAliases } = operator;
  const former = Object.fromEntries(
    formerRoots(chartVariables).map((name) => {
      const comment =
        "Values of the chart of an earlier operator, accepted for compatibility. They take effect if they are set.";
      return [name, { comment, value: {}, schema: anything }];
    }),
  );
  const aliases = chartAliases.map(({ value, help, schema }): VariableValue => {
    // A values file may also set it to null.
    const orNull = { anyOf: [schema, { type: "null" }] };
    return { path: value.split("."), comment: help, value: null, schema: orNull };
  });
  const more = [...variableValues(chartVariables), ...aliases];
  return more.reduce(withVariable, { ...commonValues(operator, settings), ...former });
}

/** Returns the values with one more, added at its path to the existing ones. */
function withVariable(values: Values, { path: [first = "", ...rest], ...value }: VariableValue): Values {
  if (rest.length === 0) return { ...values, [first]: value };
  const inside = values[first];
  const inner = inside !== undefined && "values" in inside ? inside : { comment: "", values: {} };
  return { ...values, [first]: { ...inner, values: withVariable(inner.values, { ...value, path: rest }) } };
}

function commonValues(operator: Operator, settings: OperatorSettings): Values {
  const { repository, tag, digest } = splitImage(operator.image);
  const { metrics = true, metricsPort = ports.metrics, metricsSecure = false } = operator.installation;
  const { webhookTimeoutSeconds = 5, leaderElection = true, servicePorts = [], replicas = 2 } = operator.installation;
  return {
    nameOverride: {
      comment: `Name of this installation and of its objects. Default: ${operator.name}.`,
      value: "",
      schema: { type: "string", maxLength: 40, pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$" },
    },
    image: {
      comment: "Container image of the operator.",
      values: {
        repository: { comment: "", value: repository, schema: { type: "string", minLength: 1 } },
        tag: {
          comment: "Default: the appVersion of the chart.",
          value: tag === operator.version ? "" : tag,
          schema: text,
        },
        digest: { comment: "Digest such as sha256:…; takes precedence over the tag.", value: digest, schema: text },
        pullPolicy: {
          comment: "Default: Always for the tag latest, IfNotPresent for all others.",
          value: "",
          schema: { enum: ["", "Always", "IfNotPresent", "Never"] },
        },
      },
    },
    imagePullSecrets: { comment: "Names of Secrets: [registry], or [{ name: registry }].", value: [], schema: names },
    replicas: {
      comment: leaderElection ? "Number of pods. The leader reconciles; all pods serve webhooks." : "Number of pods.",
      value: replicas,
      schema: { type: "integer", minimum: 0 },
    },
    leaderElection: {
      comment: "",
      values: {
        enabled: {
          comment: leaderElection
            ? "Enables leader election. Required with more than one replica."
            : "Not needed: all replicas work at the same time.",
          value: leaderElection,
          schema: flagged,
        },
      },
    },
    resources: {
      comment: leaderElection
        ? "With a low CPU limit, a throttled leader can fail to renew its Lease and lose leadership."
        : "",
      value: operator.installation.resources ?? defaultResources,
      schema: anything,
    },
    nodeSelector: { comment: "", value: {}, schema: texts },
    tolerations: { comment: "", value: [], schema: objects },
    affinity: { comment: "", value: {}, schema: anything },
    priorityClassName: { comment: "", value: "", schema: text },
    runtimeClassName: { comment: "RuntimeClass of the operator's own pods.", value: "", schema: text },
    podSecurityContext: { comment: "", value: defaultPodSecurity, schema: anything },
    containerSecurityContext: { comment: "", value: defaultContainerSecurity, schema: anything },
    env: {
      comment:
        "Additional environment variables: [{ name: A, value: b }]. NODE_OPTIONS replaces the default --expose-gc.",
      value: [],
      schema: objects,
    },
    args: { comment: "Additional command line arguments.", value: [], schema: labels },
    labels: { comment: "Labels of every object.", value: {}, schema: texts },
    annotations: { comment: "Annotations of every object.", value: {}, schema: texts },
    podLabels: { comment: "", value: {}, schema: texts },
    podAnnotations: { comment: "", value: {}, schema: texts },
    serviceAccount: {
      comment: "ServiceAccount of the pods.",
      values: {
        create: { comment: "", value: true, schema: flagged },
        name: { comment: "Default: the name of the installation.", value: "", schema: text },
        annotations: { comment: "", value: {}, schema: texts },
      },
    },
    rbac: {
      comment: "Permissions of the service account.",
      values: {
        create: {
          comment: "Creates roles with exactly the permissions that the operator uses.",
          value: true,
          schema: flagged,
        },
        userRoles: {
          comment: "Creates ClusterRoles for the operator's kinds that aggregate to view, edit and admin.",
          value: false,
          schema: flagged,
        },
      },
    },
    watchNamespaces: {
      comment: "Namespaces to watch; each gets a Role. Empty means all namespaces, with a ClusterRole.",
      value: [],
      schema: { ...labels, uniqueItems: true },
    },
    crds: {
      comment: "CustomResourceDefinitions. They are templates, so that upgrading the chart upgrades them.",
      values: {
        install: { comment: "", value: true, schema: flagged },
        keep: {
          comment: "Keeps the CRDs when the chart is uninstalled. Deleting a CRD deletes all of its objects.",
          value: true,
          schema: flagged,
        },
      },
    },
    webhook: {
      comment: "Admission and conversion webhooks, if the operator has any.",
      values: {
        enabled: {
          comment: "If false, only the storage version of each kind is served.",
          value: true,
          schema: flagged,
        },
        certificates: {
          comment: "self-managed: the operator issues and renews certificates. cert-manager: requires cert-manager.",
          value: "self-managed",
          schema: { enum: ["self-managed", "cert-manager"] },
        },
        failurePolicy: {
          comment: "Handling of requests while no webhook can be reached: Fail rejects them, Ignore admits them.",
          value: "Fail",
          schema: { enum: ["Fail", "Ignore"] },
        },
        timeoutSeconds: {
          comment: "Seconds for which the API server waits for a response of a webhook.",
          value: webhookTimeoutSeconds,
          schema: { type: "integer", minimum: 1, maximum: 30 },
        },
        port: { comment: "Container port of the webhooks.", value: ports.webhook, schema: port },
        clientCaConfigMap: {
          comment:
            "ConfigMap with a ca.crt. If set, admission webhooks require a client certificate signed by one of these CAs.",
          value: "",
          schema: text,
        },
        clientNames: {
          comment:
            "Names of client certificates that may call admission webhooks. Empty allows every signed certificate.",
          value: [],
          schema: labels,
        },
      },
    },
    metrics: {
      comment: "",
      values: {
        enabled: { comment: "Serves metrics.", value: metrics, schema: flagged },
        port: { comment: "", value: metricsPort, schema: port },
        secure: {
          comment: "Serves metrics over HTTPS, to accounts bound to the ClusterRole …-metrics-reader.",
          value: metricsSecure,
          schema: flagged,
        },
        certificateSecret: {
          comment:
            "Secret with tls.crt and tls.key for HTTPS. Default: a self-signed certificate that clients cannot verify.",
          value: "",
          schema: text,
        },
        service: { comment: "Creates a Service for metrics.", value: true, schema: flagged },
      },
    },
    networkPolicy: {
      comment: "Allows ingress only to the ports that the pods serve.",
      values: {
        enabled: { comment: "", value: true, schema: flagged },
        metricsFrom: {
          comment: "NetworkPolicy peers that may read metrics. Empty allows all.",
          value: [],
          schema: objects,
        },
        ...(servicePorts.length === 0
          ? {}
          : {
              portsFrom: {
                comment: "NetworkPolicy peers that may connect to each port. Empty allows all.",
                values: Object.fromEntries(
                  servicePorts.map(({ name, port: number, endPort, from = [] }) => [
                    name,
                    {
                      comment: endPort === undefined ? `Port ${number}.` : `Ports ${number} to ${endPort}.`,
                      value: from,
                      schema: objects,
                    },
                  ]),
                ),
              },
            }),
        limitEgress: {
          comment: "Also limits egress to DNS and the ports below.",
          value: false,
          schema: flagged,
        },
        egressPorts: {
          comment: "Ports of the API server and of pods that the operator calls.",
          value: operator.installation.egressPorts ?? defaultEgressPorts,
          schema: { type: "array", items: port },
        },
      },
    },
    podDisruptionBudget: {
      comment: "",
      values: {
        enabled: {
          comment: "Limits how many pods a node drain may evict at the same time.",
          value: true,
          schema: flagged,
        },
        maxUnavailable: {
          comment: "Number or percentage of pods that may be unavailable.",
          value: 1,
          schema: { type: ["integer", "string"] },
        },
      },
    },
    logLevel: { comment: "", value: "info", schema: { enum: ["debug", "info", "warn", "error"] } },
    graceSeconds: {
      comment: "Seconds that running reconciles may take to finish when a pod stops.",
      value: 10,
      schema: { type: "integer", minimum: 0, maximum: 3600 },
    },
    terminationGracePeriodSeconds: {
      comment: "Default: graceSeconds plus 30.",
      value: operator.installation.terminationGraceSeconds ?? null,
      schema: { type: ["integer", "null"], minimum: 0 },
    },
    ...extraValues(operator),
    ...uninstallValues(operator),
    ...companionValues(operator),
    ...(Object.keys(operator.flags).length === 0
      ? {}
      : {
          settings: {
            comment: `Settings of ${operator.name}.`,
            values: Object.fromEntries(
              Object.entries(operator.flags).map(([name, flag]) => [
                name,
                settingOf(flag, settings[name] ?? flag.default),
              ]),
            ),
          },
        }),
  };
}

/** Returns one boolean value for each of the operator's extras. */
function extraValues({ extras }: Operator): Values {
  const values = Object.entries(extras).map(([name, { help, default: value }]) => {
    const comment = `${help.charAt(0).toUpperCase()}${help.slice(1)}.`;
    return [name, { comment, value, schema: flagged }];
  });
  if (values.length === 0) return {};
  return { extras: { comment: "Optional objects to install with the operator.", values: Object.fromEntries(values) } };
}

/** Returns the value that turns the hook of the uninstallation on or off. */
function uninstallValues({ uninstall }: Operator): Values {
  if (uninstall === undefined) return {};
  const comment = `${uninstall.help} If it fails, the chart is not uninstalled; see the logs of the Job.`;
  return {
    uninstall: {
      comment: "Steps before the chart is uninstalled.",
      values: { hook: { comment, value: true, schema: flagged } },
    },
  };
}

/** Returns the values of the subcharts: whether they are installed. Their other values have their defaults in the subcharts. */
function companionValues({ companions }: Operator): Values {
  return Object.fromEntries(
    companions.map(({ description, asCompanion: { name, isInstalled } }) => {
      const comment = `${description} All other values of charts/${name}/values.yaml can be set here as well.`.trim();
      return [name, { comment, value: { enabled: isInstalled }, schema: anything }];
    }),
  );
}

function settingOf(flag: Flag, value: unknown): Value {
  const { help, choices } = flag;
  const comment = `${help.charAt(0).toUpperCase()}${help.slice(1)}.`;
  const printed = flag.format(value);
  switch (flag.type) {
    case "boolean":
      return { comment, value, schema: flagged };
    case "integer":
      return { comment, value, schema: { type: "integer" } };
    case "list":
      return { comment, value, schema: labels };
    case "choice":
      return { comment, value: printed, schema: { enum: [...(choices ?? [])] } };
    case "text":
    case "duration":
      return { comment, value: printed, schema: text };
  }
}

/** Returns `values.yaml`: every value with its default and a comment. */
export function valuesYaml(operator: Operator, settings?: OperatorSettings): string {
  return `# Default values of ${operator.name} ${operator.version}.\n${printValues(valuesOf(operator, settings), "")}`;
}

function printValues(values: Values, indent: string): string {
  return Object.entries(values)
    .map(([name, entry]) => {
      const lines = entry.comment === "" ? "" : `${indent}# ${entry.comment}\n`;
      const gap = indent === "" ? "\n" : "";
      const body =
        "values" in entry
          ? `${indent}${name}:\n${printValues(entry.values, `${indent}  `)}`
          : toYaml({ [name]: entry.value }).replaceAll(/^(?=.)/gm, indent);
      return `${gap}${lines}${body}`;
    })
    .join("");
}

/** Returns `values.schema.json`. It allows no additional properties, so that helm rejects misspelled names. */
export function valuesSchema(operator: Operator, { isCompanion = false }: { isCompanion?: boolean } = {}): string {
  // Helm passes its own value, and for a subchart the one that enables it.
  const others = { global: anything, ...(isCompanion ? { enabled: flagged } : {}) };
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...schemaOf(valuesOf(operator), others),
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

function schemaOf(values: Values, more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  const properties = Object.entries(values).map(([name, entry]) => [
    name,
    "values" in entry ? schemaOf(entry.values) : entry.schema,
  ]);
  return { type: "object", additionalProperties: false, properties: { ...Object.fromEntries(properties), ...more } };
}
