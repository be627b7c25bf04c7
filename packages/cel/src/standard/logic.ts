import { noSuchOverload } from "../failure.ts";
import { defineOverload, type FunctionDeclaration } from "../library.ts";
import { boolType, typeParameter, type CelType } from "../types/type.ts";

const a: CelType = typeParameter("A");

// Declared for the checker only: the interpreter evaluates these itself, because they do not need all their arguments.
const handledByInterpreter = (): ReturnType<typeof noSuchOverload> => noSuchOverload();

/** `&&`, `||`, `!`, `?:`, `==` and `!=`. */
export const logicFunctions = (): readonly FunctionDeclaration[] => [
  {
    name: "_?_:_",
    overloads: [{ id: "conditional", params: [boolType, a, a], result: a, implement: handledByInterpreter }],
  },
  {
    name: "_&&_",
    overloads: [{ id: "logical_and", params: [boolType, boolType], result: boolType, implement: handledByInterpreter }],
  },
  {
    name: "_||_",
    overloads: [{ id: "logical_or", params: [boolType, boolType], result: boolType, implement: handledByInterpreter }],
  },
  {
    name: "@not_strictly_false",
    overloads: [{ id: "not_strictly_false", params: [boolType], result: boolType, implement: handledByInterpreter }],
  },
  { name: "_==_", overloads: [{ id: "equals", params: [a, a], result: boolType, implement: handledByInterpreter }] },
  {
    name: "_!=_",
    overloads: [{ id: "not_equals", params: [a, a], result: boolType, implement: handledByInterpreter }],
  },
  {
    name: "!_",
    overloads: [
      defineOverload({ id: "logical_not", params: [boolType], result: boolType, implement: (value) => !value }),
    ],
    otherwise: noSuchOverload,
  },
];
