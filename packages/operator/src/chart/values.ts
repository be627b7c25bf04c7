// The values of a chart, described once: values.yaml with its comments and values.schema.json are both printed from this.

import { toYaml } from "@homeostat/schema";
import { defaultContainerSecurity, defaultPodSecurity, defaultResources } from "../manifests/deployment.ts";
import { ports } from "../manifests/names.ts";
import { defaultEgressPorts } from "../manifests/network-policy.ts";
import type { Operator, OperatorSettings } from "../definition/operator.ts";
import type { Flag } from "../flags/flag.ts";
import { splitImage } from "./image.ts";
import { formerRoots, type VariableValue, variableValues } from "./variables.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** One value that a user of the chart may set. */
interface Value {
  readonly comment: string;
  readonly value: unknown;
  readonly schema: JsonSchema;
}

/** Values by name, or under a name. */
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

/** The values of an operator's chart. */
export function valuesOf(operator: Operator, settings: OperatorSettings = {}): Values {
  const { chartVariables, chartAliases } = operator;
  const former = Object.fromEntries(
    formerRoots(chartVariables).map((name) => {
      const comment = "Values of another chart, which still count where they are set.";
      return [name, { comment, value: {}, schema: anything }];
    }),
  );
  const aliases = chartAliases.map(({ value, help, schema }): VariableValue => {
    // Nothing is what a file may say too.
    const orNothing = { anyOf: [schema, { type: "null" }] };
    return { path: value.split("."), comment: help, value: null, schema: orNothing };
  });
  const more = [...variableValues(chartVariables), ...aliases];
  return more.reduce(withVariable, { ...commonValues(operator, settings), ...former });
}

/** Values with one more, within those that are there. */
function withVariable(values: Values, { path: [first = "", ...rest], ...value }: VariableValue): Values {
  if (rest.length === 0) return { ...values, [first]: value };
  const inside = values[first];
  const inner = inside !== undefined && "values" in inside ? inside : { comment: "", values: {} };
  return { ...values, [first]: { ...inner, values: withVariable(inner.values, { ...value, path: rest }) } };
}

function commonValues(operator: Operator, settings: OperatorSettings): Values {
  const { repository, tag, digest } = splitImage(operator.image);
  const { metrics = true, metricsPort = ports.metrics, metricsSecure = false } = operator.installation;
  const { webhookTimeoutSeconds = 5 } = operator.installation;
  return {
    nameOverride: {
      comment: `The name of this installation and of its objects. Default: ${operator.name}.`,
      value: "",
      schema: { type: "string", maxLength: 40, pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$" },
    },
    image: {
      comment: "The image it runs from.",
      values: {
        repository: { comment: "", value: repository, schema: { type: "string", minLength: 1 } },
        tag: {
          comment: "Default: the appVersion of the chart.",
          value: tag === operator.version ? "" : tag,
          schema: text,
        },
        digest: { comment: "As in sha256:…; stands in for the tag.", value: digest, schema: text },
        pullPolicy: {
          comment: "Default: Kubernetes' own, which depends on the tag.",
          value: "",
          schema: { enum: ["", "Always", "IfNotPresent", "Never"] },
        },
      },
    },
    imagePullSecrets: { comment: "Names of Secrets: [registry], or [{ name: registry }].", value: [], schema: names },
    replicas: {
      comment: "How many run. One leads and works; all of them serve webhooks.",
      value: 2,
      schema: { type: "integer", minimum: 0 },
    },
    leaderElection: {
      comment: "",
      values: {
        enabled: {
          comment: "Whether they choose the one that works. Without, only one may run.",
          value: true,
          schema: flagged,
        },
      },
    },
    resources: {
      comment: "No limit on processor time: a process that is held up while it leads loses its lease.",
      value: operator.installation.resources ?? defaultResources,
      schema: anything,
    },
    nodeSelector: { comment: "", value: {}, schema: texts },
    tolerations: { comment: "", value: [], schema: objects },
    affinity: { comment: "", value: {}, schema: anything },
    priorityClassName: { comment: "", value: "", schema: text },
    runtimeClassName: { comment: "The runtime of the operator's own pods.", value: "", schema: text },
    podSecurityContext: { comment: "", value: defaultPodSecurity, schema: anything },
    containerSecurityContext: { comment: "", value: defaultContainerSecurity, schema: anything },
    env: {
      comment: "More environment variables: [{ name: A, value: b }]. NODE_OPTIONS stands in for --expose-gc.",
      value: [],
      schema: objects,
    },
    args: { comment: "More arguments for the program.", value: [], schema: labels },
    labels: { comment: "On every object.", value: {}, schema: texts },
    annotations: { comment: "On every object.", value: {}, schema: texts },
    podLabels: { comment: "", value: {}, schema: texts },
    podAnnotations: { comment: "", value: {}, schema: texts },
    serviceAccount: {
      comment: "The account of the pods.",
      values: {
        create: { comment: "", value: true, schema: flagged },
        name: { comment: "Default: the name of the installation.", value: "", schema: text },
        annotations: { comment: "", value: {}, schema: texts },
      },
    },
    rbac: {
      comment: "What the account may do.",
      values: {
        create: { comment: "Roles with exactly the verbs that are used.", value: true, schema: flagged },
        userRoles: {
          comment: "Roles for people, which the built-in roles view, edit and admin take up.",
          value: false,
          schema: flagged,
        },
      },
    },
    watchNamespaces: {
      comment: "The namespaces to work in, each of which gets a Role. Empty for all, with a ClusterRole.",
      value: [],
      schema: { ...labels, uniqueItems: true },
    },
    crds: {
      comment: "Custom resource definitions. They are templates, so that an upgrade of the chart upgrades them.",
      values: {
        install: { comment: "", value: true, schema: flagged },
        keep: {
          comment: "Leave them when the chart is uninstalled: with a definition go all of its objects.",
          value: true,
          schema: flagged,
        },
      },
    },
    webhook: {
      comment: "Admission and conversion, where the operator has some.",
      values: {
        enabled: {
          comment: "Without it, only the stored version of each kind is served.",
          value: true,
          schema: flagged,
        },
        certificates: {
          comment: "self-managed: the operator makes and renews them. cert-manager: that has to be installed.",
          value: "self-managed",
          schema: { enum: ["self-managed", "cert-manager"] },
        },
        failurePolicy: {
          comment: "What happens to requests while no webhook can be reached.",
          value: "Fail",
          schema: { enum: ["Fail", "Ignore"] },
        },
        timeoutSeconds: {
          comment: "How long an API server waits for an answer.",
          value: webhookTimeoutSeconds,
          schema: { type: "integer", minimum: 1, maximum: 30 },
        },
        port: { comment: "The port of the pods.", value: ports.webhook, schema: port },
        clientCaConfigMap: {
          comment:
            "A ConfigMap with ca.crt, the authorities of API servers: admission webhooks then require a client certificate.",
          value: "",
          schema: text,
        },
        clientNames: {
          comment:
            "The names of client certificates that may call admission webhooks. All of the authorities when empty.",
          value: [],
          schema: labels,
        },
      },
    },
    metrics: {
      comment: "",
      values: {
        enabled: { comment: "Whether metrics are served.", value: metrics, schema: flagged },
        port: { comment: "", value: metricsPort, schema: port },
        secure: {
          comment: "Over HTTPS, to accounts that may get /metrics. The ClusterRole …-metrics-reader is for them.",
          value: metricsSecure,
          schema: flagged,
        },
        certificateSecret: {
          comment:
            "A Secret with tls.crt and tls.key for that. Without, the operator makes a certificate nobody can check.",
          value: "",
          schema: text,
        },
        service: { comment: "A Service through which metrics are read.", value: true, schema: flagged },
      },
    },
    networkPolicy: {
      comment: "Which ports of the operator's pods can be reached: health, webhooks and metrics, and no other.",
      values: {
        enabled: { comment: "", value: true, schema: flagged },
        metricsFrom: {
          comment: "Who may read metrics, as peers of a NetworkPolicy. Everybody when empty.",
          value: [],
          schema: objects,
        },
        limitEgress: {
          comment: "Whether outgoing connections are limited as well: to DNS and the ports below.",
          value: false,
          schema: flagged,
        },
        egressPorts: {
          comment: "Ports of the API server, and of pods that the operator calls.",
          value: operator.installation.egressPorts ?? defaultEgressPorts,
          schema: { type: "array", items: port },
        },
      },
    },
    podDisruptionBudget: {
      comment: "",
      values: {
        enabled: { comment: "Nodes are drained so that some replicas stay.", value: true, schema: flagged },
        maxUnavailable: {
          comment: "How many may go at a time: a number, or a percentage.",
          value: 1,
          schema: { type: ["integer", "string"] },
        },
      },
    },
    logLevel: { comment: "", value: "info", schema: { enum: ["debug", "info", "warn", "error"] } },
    graceSeconds: {
      comment: "How long running reconciles may take to end when a pod stops.",
      value: 10,
      schema: { type: "integer", minimum: 0, maximum: 3600 },
    },
    terminationGracePeriodSeconds: {
      comment: "How long a pod may take to end. Default: 30 more than that.",
      value: operator.installation.terminationGraceSeconds ?? null,
      schema: { type: ["integer", "null"], minimum: 0 },
    },
    ...extraValues(operator),
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

/** One switch for each of the operator's extras. */
function extraValues({ extras }: Operator): Values {
  const values = Object.entries(extras).map(([name, { help, default: value }]) => {
    const comment = `${help.charAt(0).toUpperCase()}${help.slice(1)}.`;
    return [name, { comment, value, schema: flagged }];
  });
  if (values.length === 0) return {};
  return { extras: { comment: "What is installed beside it.", values: Object.fromEntries(values) } };
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

/** `values.yaml`: every value with its default and what it is for. */
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

/** `values.schema.json`: helm refuses values that do not fit it, among them every misspelt name. */
export function valuesSchema(operator: Operator): string {
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...schemaOf(valuesOf(operator), { global: anything }),
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
