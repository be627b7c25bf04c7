import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, it } from "node:test";
import { isRecord } from "@homeostat/core";
import { builtInKinds } from "./built-in-kinds.ts";
import { definitionSchema } from "../resources/schemas.ts";
import { kindStrategies, strategyOf } from "./strategies.ts";
import type { KindStrategy } from "./strategy.ts";

const sources = new URL("../../src/kinds/", import.meta.url);
/** Folders that are not those of groups. */
const others = new Set(["generated", "shared"]);

/** Returns the folder of a group: the first label of its name. */
function groupFolder(group: string): string {
  return group === "" ? "core" : (group.split(".")[0] ?? group);
}

/** Fields of a strategy whose own fields the table lists. */
const nested = new Set(["approval", "served", "status", "table"]);

/** Returns all fields that a strategy defines: `validate`, `status.prepare`. */
function definedBy(strategy: KindStrategy): string[] {
  const differences = Object.entries(strategy).filter(([name]) => name !== "group" && name !== "plural");
  return differences.flatMap(([name, value]) =>
    nested.has(name) && isRecord(value) ? Object.keys(value).map((part) => `${name}.${part}`) : [name],
  );
}

/** Fields that the strategy of each kind defines, in the order of discovery. Change a row together with the strategy. */
const table = `
core/bindings: endpoints isUnmeasured
core/componentstatuses: endpoints table.cells
core/configmaps: quota table.cells validate validateUpdate validatesUpdateFirst
core/endpoints: allowsCreateOnUpdate defaults deprecationWarning registryPath table.cells
core/events: allowsCreateOnUpdate fieldSelectors isUnmeasured table.cells wholeValidation
core/limitranges: allowsCreateOnUpdate defaults prepareForCreate validate
core/namespaces: defaults fieldSelectors prepareForCreate prepareForUpdate returnsDeletedObject status.validate table.cells termination validate validateName
core/nodes: defaults endpoints fieldSelectors keepsStatusOnCreate registryPath table.cells
core/persistentvolumeclaims: defaults prepareForCreate protectionFinalizer quota returnsDeletedObject table.cells validate validateUpdate
core/persistentvolumes: defaults prepareForCreate protectionFinalizer returnsDeletedObject status.prepare table.cells
core/pods: defaults endpoints fieldSelectors gracePeriodSeconds hasGeneration prepareForCreate quota returnsDeletedObject status.keptMetadata status.prepare status.resetFields table.cells table.conditions validate validateUpdate warnings
core/podtemplates: hasGeneration podTemplatePath returnsDeletedObject table.cells
core/replicationcontrollers: defaults fieldSelectors hasGeneration orphanWarning podTemplatePath quota registryPath scaleSelector table.cells
core/resourcequotas: quota returnsDeletedObject table.cells validate
core/secrets: decode defaults fieldSelectors quota table.cells validate validateUpdate validatesUpdateFirst
core/serviceaccounts: endpoints returnsDeletedObject table.cells validate
core/services: allowsCreateOnUpdate defaults endpoints fieldSelectors prepareForUpdate quota registryPath returnsDeletedObject status.validate table.cells validate validateName validateUpdate warnings
apiregistration/apiservices: allowsAnyFinalizer defaults prepareForCreate requiresVersionOnUpdate status.keptMetadata status.resetFields table.cells validate validateName
apps/controllerrevisions: table.cells
apps/daemonsets: decode defaults hasGeneration podTemplatePath prepareForCreate prepareForUpdate status.validate table.cells validate validateUpdate validatesUpdateFirst warnings
apps/deployments: changesGeneration defaults hasGeneration podTemplatePath scaleSelector status.keptMetadata status.resetFields status.validate table.cells validate validateUpdate warnings
apps/replicasets: defaults hasGeneration podTemplatePath scaleSelector status.validate table.cells validate validateUpdate warnings
apps/statefulsets: defaults hasGeneration podTemplatePath scaleSelector status.validate table.cells validate validateChanged validateName validateUpdate warnings
events/events: allowsCreateOnUpdate conversions fieldSelectors isUnmeasured table.cells wholeValidation
authentication/selfsubjectreviews: endpoints isExemptFromPolicies
authentication/tokenreviews: endpoints isExemptFromPolicies
authorization/localsubjectaccessreviews: endpoints isExemptFromPolicies isUnmeasured
authorization/selfsubjectaccessreviews: endpoints isExemptFromPolicies
authorization/selfsubjectrulesreviews: endpoints isExemptFromPolicies
authorization/subjectaccessreviews: endpoints isExemptFromPolicies
autoscaling/horizontalpodautoscalers: conversions defaults table.cells
batch/cronjobs: defaults hasGeneration podTemplatePath table.cells validate validateName
batch/jobs: defaults fieldSelectors hasGeneration orphanWarning podTemplatePath prepareForCreate table.cells validate validateChanged validateUpdate warnings
certificates/certificatesigningrequests: approval.prepare approval.resetFields approval.validate fieldSelectors prepareForCreate prepareForUpdate resetFields status.prepare status.resetFields status.validate table.cells validate validateName
networking/ingressclasses: defaults hasGeneration table.cells
networking/ingresses: hasGeneration registryPath table.cells
networking/ipaddresses: table.cells
networking/networkpolicies: defaults hasGeneration table.cells validate
networking/servicecidrs: status.keptMetadata status.resetFields table.cells
policy/poddisruptionbudgets: allowsAnyFinalizer hasGeneration prepareForCreate requiresVersionOnUpdate status.validate table.cells validate validateName validatesMetadataLast
rbac/clusterrolebindings: allowsCreateOnUpdate defaults table.cells validate validateName validateUpdate
rbac/clusterroles: allowsCreateOnUpdate validate validateName
rbac/rolebindings: allowsCreateOnUpdate defaults table.cells validate validateName validateUpdate
rbac/roles: allowsCreateOnUpdate validate validateName
storage/csidrivers: defaults requiresVersionOnUpdate returnsDeletedObject table.cells
storage/csinodes: requiresVersionOnUpdate returnsDeletedObject table.cells
storage/csistoragecapacities: requiresVersionOnUpdate
storage/storageclasses: defaults returnsDeletedObject table.cells
storage/volumeattachments: requiresVersionOnUpdate returnsDeletedObject status.keptMetadata status.resetFields table.cells
storage/volumeattributesclasses: protectionFinalizer returnsDeletedObject table.cells
admissionregistration/mutatingadmissionpolicies: allowsAnyFinalizer defaults hasGeneration hasPolicyExpressions requiresVersionOnUpdate table.cells validate
admissionregistration/mutatingadmissionpolicybindings: allowsAnyFinalizer defaults hasGeneration requiresVersionOnUpdate table.cells validate
admissionregistration/mutatingwebhookconfigurations: allowsAnyFinalizer defaults hasGeneration requiresVersionOnUpdate table.cells validate
admissionregistration/validatingadmissionpolicies: allowsAnyFinalizer defaults hasGeneration hasPolicyExpressions requiresVersionOnUpdate status.keptMetadata status.resetFields status.validate table.cells validate
admissionregistration/validatingadmissionpolicybindings: allowsAnyFinalizer defaults hasGeneration requiresVersionOnUpdate table.cells validate
admissionregistration/validatingwebhookconfigurations: allowsAnyFinalizer defaults hasGeneration requiresVersionOnUpdate table.cells validate
apiextensions/customresourcedefinitions: allowsAnyFinalizer defaults hasGeneration isStoredAsServed requiresVersionOnUpdate served.checkChanged served.checkNew served.incrementsGeneration served.prepareChanged served.prepareNew served.termination served.warningsOf status.keptMetadata status.resetFields
scheduling/priorityclasses: defaults hasGeneration table.cells validate
coordination/leases: allowsAnyFinalizer allowsCreateOnUpdate requiresVersionOnUpdate table.cells validate
node/runtimeclasses: allowsCreateOnUpdate requiresVersionOnUpdate table.cells
discovery/endpointslices: defaults hasGeneration table.cells
resource/deviceclasses: hasGeneration returnsDeletedObject table.cells
resource/resourceclaims: defaults returnsDeletedObject status.keptMetadata status.resetFields table.cells
resource/resourceclaimtemplates: defaults returnsDeletedObject table.cells
resource/resourceslices: fieldSelectors hasGeneration returnsDeletedObject table.cells
flowcontrol/flowschemas: defaults hasGeneration status.keptMetadata status.resetFields table.cells table.order
flowcontrol/prioritylevelconfigurations: defaults hasGeneration status.keptMetadata status.resetFields table.cells
`;

describe("the strategies of built-in kinds", () => {
  it("define what this table lists for every kind", () => {
    const rows = new Map(
      builtInKinds.map((kind) => {
        const { group, plural } = kind;
        const defined = definedBy(strategyOf(kind)).toSorted();
        return [`${groupFolder(group)}/${plural}`, defined.length === 0 ? "nothing" : defined.join(" ")];
      }),
    );
    const text = [...rows].map(([resource, defined]) => `${resource}: ${defined}`).join("\n");

    assert.equal(text, table.trim());
  });

  it("belong to different kinds, all of which discovery lists", () => {
    const resources = kindStrategies.map(({ group, plural }) => `${plural}.${group}`);
    const known = new Set(builtInKinds.map(({ group, plural }) => `${plural}.${group}`));

    assert.deepEqual(
      resources.filter((resource) => !known.has(resource)),
      [],
    );
    assert.equal(new Set(resources).size, resources.length);
  });

  it("are in the folder of their group and kind, and every such folder has one", () => {
    const folders = readdirSync(sources, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !others.has(entry.name))
      .flatMap((group) =>
        readdirSync(new URL(`${group.name}/`, sources), { withFileTypes: true })
          .filter((entry) => entry.isDirectory())
          .map((entry) => `${group.name}/${entry.name}`),
      );
    const expected = kindStrategies.map(({ group, plural }) => {
      const kind = builtInKinds.find((each) => each.group === group && each.plural === plural);
      return `${groupFolder(group)}/${kind?.singular}`;
    });

    assert.deepEqual(folders.toSorted(), expected.toSorted());
    for (const folder of folders) {
      assert.ok(readdirSync(new URL(`${folder}/`, sources)).includes("strategy.ts"), folder);
    }
  });

  it("define at least one field: a kind without differences has no strategy", () => {
    assert.deepEqual(
      kindStrategies.filter((strategy) => definedBy(strategy).length === 0),
      [],
    );
  });

  it("define defaults only for existing types, and the same ones for a type everywhere", () => {
    const known = new Map<string, unknown>();
    for (const { plural, defaults = {} } of kindStrategies) {
      for (const [type, value] of Object.entries(defaults)) {
        assert.ok(
          ["io.k8s.api.", "io.k8s.apiextensions-apiserver.pkg.apis.", "io.k8s.kube-aggregator.pkg.apis."].some(
            (prefix) => definitionSchema(prefix + type) !== undefined,
          ),
          `${plural} names ${type}, which is no type`,
        );
        assert.equal(known.get(type) ?? value, value, `${plural} and another kind give ${type} different defaults`);
        known.set(type, value);
      }
    }
  });
});
