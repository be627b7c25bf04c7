import { isEqual, isRecord, type KubeObject } from "@homeostat/core";
import { toYaml } from "@homeostat/schema";
import { accessPlan } from "../access/operator-access.ts";
import type { Operator } from "../definition/operator.ts";
import type { OperatorSettings } from "../installation/options.ts";
import { singlePorts } from "../installation/program-ports.ts";
import { crdManifests } from "../manifests/crds.ts";
import { extraManifests } from "../manifests/extras.ts";
import { labelsOf } from "../manifests/metadata.ts";
import { flagName } from "../flags/names.ts";
import { serviceAccountManifest } from "../manifests/operator-manifests.ts";
import { type Installation, installationOf } from "../definition/installation.ts";
import {
  certificateRoles,
  clusterRole,
  role,
  secureMetricsRoles,
  settingRole,
  userRoleManifests,
  webhookRoles,
  workRoles,
} from "../manifests/rbac.ts";
import { disruptionBudgetManifest, metricsServiceManifest, webhookServiceManifest } from "../manifests/services.ts";
import { certManagerManifests, configurationManifests } from "../manifests/webhooks.ts";
import { aliasCall } from "./aliases.ts";
import { certificateSecretExpression, deploymentTemplate } from "./deployment-template.ts";
import { helpersTemplate } from "./helpers-template.ts";
import { networkPolicyTemplate } from "./network-policy-template.ts";
import { notesTemplate } from "./notes-template.ts";
import { programServiceTemplate } from "./program-service-template.ts";
import { marker, onlyIf, type Replacements, templateOf } from "./template.ts";
import { hookAnnotations, uninstallJobTemplate, uninstallSuffix } from "./uninstall-template.ts";
import { valuesSchema, valuesYaml } from "./values.ts";

/** Options of {@link operatorChart}. */
export interface ChartOptions {
  /**
   * Settings of the operator, which determine the webhooks and permissions of the chart. Default: the defaults of its flags.
   *
   * A user of the chart can change settings with values, but this does not change its webhooks and permissions.
   */
  readonly settings?: OperatorSettings | undefined;
  /** The version of the chart. Default: the version of the operator. */
  readonly version?: string | undefined;
  /** The supported Kubernetes versions. Default: `>=1.29.0-0`. */
  readonly kubeVersion?: string | undefined;
}

/**
 * Returns a Helm chart that installs an operator: the text of each file, by its path in the chart.
 *
 * With default values it renders to the objects of `operatorManifests`, except for helm's own labels and the Namespace, which
 * helm creates itself. Companions are subcharts. The CRDs are templates because helm never upgrades what is in the `crds` folder of a chart.
 */
export function operatorChart(operator: Operator, options: ChartOptions = {}): Map<string, string> {
  return new Map([
    ...chartFiles(operator, options),
    ...operator.companions.flatMap((each) => companionChart(each, options)),
  ]);
}

/** Returns the chart of a companion as a subchart. Its version is that of the whole chart. */
function companionChart(companion: Operator, { version, kubeVersion }: ChartOptions): [string, string][] {
  const files = chartFiles(companion, { version, kubeVersion, isCompanion: true });
  return [...files].map(([path, text]) => [`charts/${companion.asCompanion.name}/${path}`, text]);
}

function chartFiles(
  operator: Operator,
  options: ChartOptions & { readonly isCompanion?: boolean },
): Map<string, string> {
  const { name, version, description, companions } = operator;
  const { isCompanion = false } = options;
  const chartName = isCompanion ? operator.asCompanion.name : name;
  const maker = new TemplateMaker(operator, options.settings);
  const moved = (path: string): string => (path.startsWith("_") ? "" : aliasCall(name, operator.chartAliases));
  const file = (path: string, template: string): [string, string][] =>
    template === "" ? [] : [[`templates/${path}`, `${moved(path)}${template}`]];
  return new Map([
    [
      "Chart.yaml",
      toYaml({
        apiVersion: "v2",
        name: chartName,
        description: description === "" ? `Installs ${name}.` : description,
        type: "application",
        version: options.version ?? version,
        appVersion: version,
        kubeVersion: options.kubeVersion ?? ">=1.29.0-0",
        ...(companions.length === 0
          ? {}
          : {
              dependencies: companions.map((each) => ({
                name: each.asCompanion.name,
                version: options.version ?? each.version,
                condition: `${each.asCompanion.name}.enabled`,
              })),
            }),
      }),
    ],
    [".helmignore", ".*\n*.tgz\n"],
    ["values.yaml", valuesYaml(operator, options.settings)],
    ["values.schema.json", valuesSchema(operator, { isCompanion })],
    ...file("_helpers.tpl", helpersTemplate(operator)),
    ...operator.resources.flatMap((resource, index) => file(`crd-${resource.plural}.yaml`, maker.crd(index))),
    ...file("serviceaccount.yaml", maker.serviceAccount()),
    ...file("rbac.yaml", maker.access()),
    ...file("user-roles.yaml", maker.userRoles()),
    ...Object.keys(operator.extras).flatMap((extra) => file(`extra-${flagName(extra)}.yaml`, maker.extra(extra))),
    ...file("webhook.yaml", maker.webhook()),
    ...file("deployment.yaml", deploymentTemplate(operator, { hasWebhooks: maker.hasWebhooks })),
    ...file("service.yaml", programServiceTemplate(operator)),
    ...file("metrics-service.yaml", maker.metricsService()),
    ...file("metrics-access.yaml", maker.metricsAccess()),
    ...file("networkpolicy.yaml", networkPolicyTemplate(operator, { hasWebhooks: maker.hasWebhooks })),
    ...file("poddisruptionbudget.yaml", maker.disruptionBudget()),
    ...file("uninstall.yaml", maker.uninstall()),
    ...file("NOTES.txt", notesTemplate(operator)),
  ]);
}

/** Generates the templates of one operator from its manifests. */
class TemplateMaker {
  readonly hasWebhooks: boolean;
  readonly #name: string;
  readonly #marked: Installation;
  readonly #inline: Replacements["inline"];

  constructor(operator: Operator, settings: OperatorSettings | undefined) {
    this.#name = operator.name;
    this.#marked = installationOf(operator, {
      instance: marker("instance"),
      namespace: marker("namespace"),
      serviceAccountName: marker("account"),
      settings,
    });
    this.hasWebhooks = this.#marked.certificates !== undefined;
    this.#inline = {
      instance: `{{ include "${this.#name}.instance" $ }}`,
      account: `{{ include "${this.#name}.serviceAccount" $ }}`,
      namespace: "{{ $.Release.Namespace }}",
      watched: "{{ $namespace }}",
    };
  }

  serviceAccount(): string {
    const more = "$.Values.serviceAccount.annotations";
    return onlyIf(".Values.serviceAccount.create", this.#template(serviceAccountManifest(this.#marked), { more }));
  }

  access(): string {
    const narrow = { ...this.#marked, watchNamespaces: [marker("watched")] };
    const { watched } = accessPlan(narrow);
    const place = { name: narrow.instance, namespace: marker("watched"), rules: watched };
    const each = watched.length === 0 ? "" : this.#documents(role(narrow, place));
    const certificates = this.#documents(certificateRoles(this.#marked));
    return onlyIf(
      ".Values.rbac.create",
      [
        "{{- if .Values.watchNamespaces }}\n",
        this.#documents(workRoles(narrow)),
        `{{- range $namespace := .Values.watchNamespaces }}\n${each}{{- end }}\n`,
        "{{- else }}\n",
        this.#documents(workRoles(this.#marked)),
        "{{- end }}\n",
        this.#settingAccess(),
        this.#webhookAccess(),
        certificates === ""
          ? ""
          : onlyIf('and .Values.webhook.enabled (eq .Values.webhook.certificates "self-managed")', certificates),
      ].join(""),
    );
  }

  #settingAccess(): string {
    return this.#marked.operator.settingAccess
      .map((each) => onlyIf(`.Values.settings.${each.setting}`, this.#documents(settingRole(this.#marked, each))))
      .join("");
  }

  #webhookAccess(): string {
    const roles = this.#documents(webhookRoles(this.#marked));
    const { chartValue } = this.#marked.operator.webhookAccess ?? {};
    const isOn = ".Values.webhook.enabled";
    return roles === "" ? "" : onlyIf(chartValue === undefined ? isOn : `and ${isOn} .Values.${chartValue}`, roles);
  }

  #documents(objects: readonly object[]): string {
    return objects.map((object) => `---\n${this.#template(object)}`).join("");
  }

  /** Returns the hook that runs before helm deletes the operator: its ServiceAccount, its permissions and its Job. */
  uninstall(): string {
    const { operator } = this.#marked;
    const { uninstall: step } = operator;
    if (step === undefined) return "";
    const name = `${this.#marked.instance}${uninstallSuffix}`;
    const own = { ...this.#marked, serviceAccount: name };
    const rules = step.access.map(({ type, ...needed }) => ({
      group: type.group,
      resource: type.plural,
      ...needed,
    }));
    const more = hookAnnotations(-5);
    const documents = (objects: readonly object[]): string =>
      objects.map((object) => `---\n${this.#template(object, { more })}`).join("");
    const access = [
      documents([serviceAccountManifest(own)]),
      "{{- if .Values.watchNamespaces }}\n{{- range $namespace := .Values.watchNamespaces }}\n",
      documents(role(own, { name, namespace: marker("watched"), rules })),
      "{{- end }}\n{{- else }}\n",
      documents(clusterRole(own, { name, rules })),
      "{{- end }}\n",
    ];
    const job = `---\n${uninstallJobTemplate(operator, step)}`;
    return onlyIf(".Values.uninstall.hook", `${onlyIf(".Values.rbac.create", access.join(""))}${job}`);
  }

  userRoles(): string {
    const roles = userRoleManifests(this.#marked).map((object) => {
      return `---\n${this.#template(object, { ownLabels: this.#ownLabels(object) })}`;
    });
    return roles.length === 0 ? "" : onlyIf("and .Values.rbac.create .Values.rbac.userRoles", roles.join(""));
  }

  extra(name: string): string {
    const extra = this.#marked.operator.extras[name];
    const objects = extra === undefined ? [] : extraManifests(this.#marked, extra);
    const documents = objects.map((object) => `---\n${this.#template(object, { ownLabels: this.#ownLabels(object) })}`);
    return onlyIf(`.Values.extras.${name}`, documents.join(""));
  }

  /** Returns the labels of an object that not every object of the chart has. */
  #ownLabels({ metadata }: KubeObject): Readonly<Record<string, string>> {
    const common = labelsOf(this.#marked);
    return Object.fromEntries(Object.entries(metadata.labels ?? {}).filter(([key]) => !Object.hasOwn(common, key)));
  }

  webhook(): string {
    if (!this.hasWebhooks) return "";
    const { mutating, validating } = configurationManifests(this.#marked);
    const configurations = [mutating, validating]
      .filter((each) => each !== undefined)
      .map(({ webhooks = [], ...object }) => {
        const marked = {
          ...object,
          webhooks: webhooks.map((webhook) => ({
            ...webhook,
            // The value of the chart does not change the policy of a webhook that has its own.
            ...(this.#hasOwnPolicy(webhook) ? {} : { failurePolicy: marker("failurePolicy") }),
            timeoutSeconds: marker("timeoutSeconds"),
          })),
        };
        const lines: Replacements["lines"] = {
          failurePolicy: (indent) => `${indent}failurePolicy: {{ $.Values.webhook.failurePolicy }}`,
          timeoutSeconds: (indent) => `${indent}timeoutSeconds: {{ int64 $.Values.webhook.timeoutSeconds }}`,
        };
        return `---\n${this.#template(marked, { more: this.#injection("dict"), lines })}`;
      });
    const issuer = this.#documents(certManagerManifests(this.#marked));
    return onlyIf(
      ".Values.webhook.enabled",
      `${this.#template(webhookServiceManifest(this.#marked))}${onlyIf(
        'eq .Values.webhook.certificates "cert-manager"',
        issuer,
      )}${configurations.join("")}`,
    );
  }

  /** Reports whether the definition of a webhook sets its failure policy. Paths identify webhooks. */
  #hasOwnPolicy({ clientConfig: { service } }: { clientConfig: { service?: { path?: string } } }): boolean {
    const { operator, settings } = this.#marked;
    const found = operator.parts(settings).webhooks.find(({ path }) => path === service?.path);
    return found?.calls?.failurePolicy !== undefined;
  }

  metricsService(): string {
    // The Service of a program with ports of its own has the metrics as well.
    if (singlePorts(this.#marked.options.servicePorts).length > 0) return "";
    const { spec, ...object } = metricsServiceManifest(this.#marked);
    const marked = {
      ...object,
      spec: { ...spec, ports: spec?.ports?.map((each) => ({ ...each, port: marker("port") })) },
    };
    const lines = { port: (indent: string) => `${indent}port: {{ int64 .Values.metrics.port }}` };
    return onlyIf("and .Values.metrics.enabled .Values.metrics.service", this.#template(marked, { lines }));
  }

  metricsAccess(): string {
    return onlyIf(
      "and .Values.rbac.create .Values.metrics.enabled .Values.metrics.secure",
      this.#documents(secureMetricsRoles(this.#marked)),
    );
  }

  disruptionBudget(): string {
    const { spec, ...object } = disruptionBudgetManifest(this.#marked);
    const marked = { ...object, spec: { ...spec, maxUnavailable: marker("unavailable") } };
    const lines = {
      unavailable: (indent: string) => `${indent}maxUnavailable: {{ .Values.podDisruptionBudget.maxUnavailable }}`,
    };
    return onlyIf(".Values.podDisruptionBudget.enabled", this.#template(marked, { lines }));
  }

  /** Returns the template of a CRD. Its conversion and the versions it serves depend on whether webhooks are enabled. */
  crd(index: number): string {
    const crd = crdManifests(this.#marked)[index];
    const without = crdManifests({ ...this.#marked, certificates: undefined })[index];
    if (crd === undefined || without === undefined) return "";
    const isConverted = !isEqual(crd.spec.conversion, without.spec.conversion);
    const versions = crd.spec.versions.map((version, at) => ({
      ...version,
      served: version.served === without.spec.versions[at]?.served ? version.served : marker("served"),
    }));
    const spec = { ...crd.spec, versions, ...(isConverted ? { conversion: marker("conversion") } : {}) };
    const keep = '(ternary (dict "helm.sh/resource-policy" "keep") dict $.Values.crds.keep)';
    const template = this.#template(
      { ...crd, spec },
      {
        more: isConverted ? this.#injection(keep) : keep,
        lines: {
          served: (indent) => `${indent}served: {{ $.Values.webhook.enabled }}`,
          conversion: (indent) => this.#conversion(indent, crd.spec.conversion),
        },
      },
    );
    return onlyIf(".Values.crds.install", template);
  }

  #conversion(indent: string, conversion: object): string {
    const block = (value: object): string => toYaml({ conversion: value }).trimEnd().replaceAll(/^/gm, indent);
    return [
      `${indent}{{- if $.Values.webhook.enabled }}`,
      block(conversion),
      `${indent}{{- else }}`,
      block({ strategy: "None" }),
      `${indent}{{- end }}`,
    ].join("\n");
  }

  /** Returns an expression for additional annotations, including the one that makes cert-manager inject the CA bundle. */
  #injection(others: string): string {
    const secret = certificateSecretExpression(this.#marked.operator);
    const value = `(printf "%s/%s" $.Release.Namespace ${secret})`;
    const note = `(dict "cert-manager.io/inject-ca-from" ${value})`;
    const isOn = '(and $.Values.webhook.enabled (eq $.Values.webhook.certificates "cert-manager"))';
    return `(merge (dict) ${others === "dict" ? "(dict)" : others} (ternary ${note} dict ${isOn}))`;
  }

  /** Returns the template of an object, with the labels and annotations that every object of the chart has. */
  #template(
    object: object,
    {
      more,
      ownLabels = {},
      lines = {},
    }: { more?: string; ownLabels?: Readonly<Record<string, string>>; lines?: Replacements["lines"] } = {},
  ): string {
    const given: unknown = "metadata" in object ? object.metadata : undefined;
    const { labels: _, annotations: __, ...metadata } = isRecord(given) ? given : {};
    const marked = {
      ...object,
      metadata: { ...metadata, labels: marker("labels"), annotations: marker("annotations") },
    };
    // Only metadata.labels becomes an include. Labels in selectors are printed, and contain the marker of the instance.
    return templateOf(marked, {
      inline: this.#inline,
      lines: {
        ...lines,
        labels: (indent) =>
          [
            `${indent}labels:`,
            `${indent}  {{- include "${this.#name}.labels" $ | nindent ${indent.length + 2} }}`,
            ...Object.entries(ownLabels).map(([key, value]) => `${indent}  ${key}: ${JSON.stringify(value)}`),
          ].join("\n"),
        annotations: (indent) =>
          `${indent}{{- include "${this.#name}.annotations" (dict "root" $${more === undefined ? "" : ` "more" ${more}`}) | nindent ${indent.length} }}`,
      },
    });
  }
}
