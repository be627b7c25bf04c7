// Compiles a validation rule as the API server does, estimates what it can cost, and asks it about two objects.
//
// Prints:
//   the rule is a bool, reads self, and costs at most 95
//   a valid object: true, for a cost of 15
//   a port twice: false
//   no ports: no such key: ports
//   a typo: undefined field 'port'

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

// How the JSON is read: ports are ints, and a list holds at most four.
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
console.log(`a valid object: ${formatValue(value)}, for a cost of ${cost}`);
console.log(`a port twice: ${formatValue(unique.evaluate({ self: fromJson({ ports: [80, 80] }, shape) }))}`);

try {
  unique.evaluate({ self: fromJson({}, shape) });
} catch (error) {
  if (error instanceof CelEvaluationError) console.log(`no ports: ${error.message}`);
}

try {
  environment.compile("self.port.size() < 3");
} catch (error) {
  if (error instanceof CelCompileError) console.log(`a typo: ${error.issues[0]?.message}`);
}
