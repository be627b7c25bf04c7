import type { Flags } from "../flags/flag.ts";
import type { OperatorSettings } from "../installation/options.ts";
import { defaultSettings } from "../flags/read-flags.ts";
import { NotRunningError, OperatorDefinitionError } from "../errors.ts";
import { operatorProblems } from "./check-operator.ts";
import type { Operator, OperatorDefinition, OperatorParts, Provided } from "./operator.ts";

/**
 * Defines an operator: its kinds, controllers, webhooks and flags. `runOperator` runs it; its manifests, permissions and chart
 * are derived from the same definition.
 *
 * Throws an `OperatorDefinitionError` that lists all problems of the definition.
 *
 * @example
 * export const shop = defineOperator({
 *   name: "shop-operator",
 *   version: "1.0.0",
 *   resources: [Order],
 *   conversions: [orderConversion],
 *   flags: { maxOrders: flag.integer({ default: 100, help: "how many orders a shop may have" }) },
 *   controllers: ({ maxOrders }) => [orders({ maxOrders })],
 *   webhooks: [orderGate],
 * });
 *
 * process.exitCode = await runOperator(shop);
 */
export function defineOperator<const F extends Flags, S = undefined>(definition: OperatorDefinition<F, S>): Operator;
// F only types the settings that functions of the definition get. At run time they always have a value for every flag.
export function defineOperator(definition: OperatorDefinition): Operator {
  const { name, version = "0.0.0", description = "", resources = [], conversions = [], flags = {} } = definition;
  const defaults = defaultSettings(flags);
  // Parts are cached by the printed settings: manifests, permissions and chart ask for the same parts many times.
  const cache = new Map<string, OperatorParts>();
  const complete = (settings: OperatorSettings): OperatorSettings => ({ ...defaults, ...settings });
  const notRunning = (): never => {
    throw new NotRunningError(name);
  };
  const parts = (settings: OperatorSettings = {}): OperatorParts => {
    const all = complete(settings);
    const key = JSON.stringify(Object.entries(flags).map(([each, flag]) => flag.format(all[each])));
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const built = partsOf(definition, { settings: all, provided: notRunning });
    cache.set(key, built);
    return built;
  };
  const operator: Operator = {
    name,
    version,
    description,
    image: definition.image ?? `${name}:${version}`,
    leaseSuffix: definition.leaseSuffix,
    resources,
    conversions,
    flags,
    flagAliases: definition.flagAliases ?? {},
    manager: definition.manager ?? {},
    installation: definition.installation ?? {},
    chartVariables: definition.chartVariables ?? [],
    chartAliases: definition.chartAliases ?? [],
    extras: definition.extras ?? {},
    companions: definition.companions ?? [],
    asCompanion: { name, isInstalled: true, ...definition.asCompanion },
    settingAccess: definition.settingAccess ?? [],
    webhookAccess: definition.webhookAccess,
    uninstall: definition.uninstall,
    parts,
    settingProblems: (settings = {}) => definition.settingProblems?.(complete(settings)) ?? [],
    forManager(settings = {}) {
      const all = complete(settings);
      let provided: Provided<unknown> = notRunning;
      return {
        ...partsOf(definition, { settings: all, provided: () => provided() }),
        setup(tools) {
          const value = definition.setup?.(tools, all);
          provided = () => value;
        },
      };
    },
  };
  const problems = operatorProblems(operator, definition.uses ?? []);
  if (problems.length > 0) throw new OperatorDefinitionError(name, problems);
  return operator;
}

function partsOf(
  { controllers = [], webhooks = [], services = [], access = [], ownAccess = [] }: OperatorDefinition,
  { settings, provided }: { readonly settings: OperatorSettings; readonly provided: Provided<unknown> },
): OperatorParts {
  return {
    controllers: typeof controllers === "function" ? controllers(settings, provided) : controllers,
    webhooks: typeof webhooks === "function" ? webhooks(settings, provided) : webhooks,
    services: typeof services === "function" ? services(settings, provided) : services,
    access: typeof access === "function" ? access(settings, provided) : access,
    ownAccess: typeof ownAccess === "function" ? ownAccess(settings, provided) : ownAccess,
  };
}
