// Compiles a validation rule as the API server does, estimates its cost, and evaluates it for several objects.
//
// Prints:
//   the rule is a bool, reads self, and costs at most 95
//   valid object: true, cost 15
//   duplicate port: false
//   no ports: no such key: ports
//   typo: undefined field 'port'

import {
  boolType,
  CelCompileError,
  CelEvaluationError,
  createEnvironment,
  dynType,
  formatValue,
  fromJson,
  kubernetesLibraries,
  sizesOfShape,
  typeOfShape,
  type JsonShape,
} from "@homeostat/cel";

// Schema of the JSON: `ports` is a list of at most four integers.
const shape: JsonShape = {
  kind: "object",
  properties: new Map([["ports", { kind: "list", items: { kind: "int" }, maxElements: 4 }]]),
};
const environment = createEnvironment({
  libraries: kubernetesLibraries,
  variables: { self: typeOfShape(shape, "Self") ?? dynType },
});

const unique = environment.compile("self.ports.all(p, self.ports.exists_one(q, p == q))", { resultType: boolType });
const { max } = unique.estimateCost(sizesOfShape(shape));
console.log(`the rule is a bool, reads ${[...unique.variables].join()}, and costs at most ${max}`);

const { value, cost } = unique.evaluateWithCost({ self: fromJson({ ports: [80] }, shape) }, { costLimit: 1_000_000 });
console.log(`valid object: ${formatValue(value)}, cost ${cost}`);
console.log(`duplicate port: ${formatValue(unique.evaluate({ self: fromJson({ ports: [80, 80] }, shape) }))}`);

try {
  unique.evaluate({ self: fromJson({}, shape) });
} catch (error) {
  if (error instanceof CelEvaluationError) console.log(`no ports: ${error.message}`);
}

try {
  environment.compile("self.port.size() < 3");
} catch (error) {
  if (error instanceof CelCompileError) console.log(`typo: ${error.issues[0]?.message}`);
}
