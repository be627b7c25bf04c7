import { createEnvironment, dynType, fromJson, kubernetesLibraries, typeOfShape, type JsonShape } from "@homeostat/cel";
import type { BenchCases } from "../harness/case.ts";

const shape: JsonShape = {
  kind: "object",
  properties: new Map<string, JsonShape>([
    ["replicas", { kind: "int" }],
    ["names", { kind: "list", items: { kind: "string" } }],
  ]),
};
const environment = createEnvironment({
  libraries: kubernetesLibraries,
  variables: { self: typeOfShape(shape, "Self") ?? dynType },
});
const self = fromJson({ replicas: 5, names: Array.from({ length: 20 }, (_, index) => `name-${index}`) }, shape);

const simple = "self.replicas > 3 && self.replicas < 10";
const unique = "self.names.all(x, self.names.exists_one(y, x == y))";
const simpleProgram = environment.compile(simple);
const uniqueProgram = environment.compile(unique);

export const cases: BenchCases = [
  {
    name: "compile: parse, check and plan",
    subjects: {
      "a range": () => environment.compile(simple),
      "uniqueness of names": () => environment.compile(unique),
    },
  },
  {
    name: "evaluate a range",
    subjects: {
      plain: () => simpleProgram.evaluate({ self }),
      "counting the cost": () => simpleProgram.evaluate({ self }, { costLimit: 1_000_000 }),
    },
  },
  {
    name: "evaluate uniqueness of 20 names",
    subjects: {
      plain: () => uniqueProgram.evaluate({ self }),
      "counting the cost": () => uniqueProgram.evaluate({ self }, { costLimit: 1_000_000 }),
    },
  },
];
