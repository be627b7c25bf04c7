import { check } from "./checker/check.ts";
import { validate } from "./checker/validate.ts";
import { declare } from "./declarations.ts";
import { CelCompileError } from "./errors.ts";
import type { Library } from "./library.ts";
import { CompiledProgram, type Program } from "./program.ts";
import { standardLibrary } from "./standard/library.ts";
import { parse } from "./syntax/parser.ts";
import { toIssues, type Problem } from "./syntax/source.ts";
import { formatType } from "./types/format.ts";
import { sameType, type CelType } from "./types/type.ts";

/** Options of {@link createEnvironment}. */
export interface EnvironmentOptions {
  /** Libraries in addition to the standard library. */
  readonly libraries?: readonly Library[];
  /** Types of the variables that expressions may use, by name. */
  readonly variables?: Readonly<Record<string, CelType>>;
  /** Prefix under which names are also looked up, as in a package. */
  readonly container?: string;
  /** True to allow list and map literals with elements of different types. Default false, as in Kubernetes. */
  readonly mixedLiterals?: boolean;
}

/** Compiles expressions that share libraries and variables. */
export interface Environment {
  /**
   * Parses and checks an expression.
   *
   * With `resultType`, rejects an expression of any other type, including dyn.
   *
   * @throws CelCompileError with all problems.
   */
  compile(source: string, options?: { readonly resultType?: CelType }): Program;
}

/**
 * Creates an environment with the standard library and the given libraries and variables.
 *
 * @example
 * const environment = createEnvironment({ variables: { self: intType } });
 * environment.compile("self > 3").evaluate({ self: 5n }); // true
 */
export function createEnvironment(options: EnvironmentOptions = {}): Environment {
  const { libraries = [], variables = {}, container = "", mixedLiterals = false } = options;
  const all = [standardLibrary, ...libraries];
  const declarations = declare(all, new Map(Object.entries(variables)), container);
  const mixedLiteralsIn = new Set(all.flatMap((library) => library.mixedLiteralsIn ?? []));
  return {
    compile(source, { resultType } = {}) {
      const reject = (problems: readonly Problem[]): never => {
        const issues = toIssues(source, problems);
        throw new CelCompileError({ source, issues, omitted: problems.length - issues.length });
      };
      const parsed = parse(source, declarations);
      if (parsed.expr === undefined) return reject(parsed.problems);
      const { checked, problems } = check(parsed.expr, declarations);
      if (checked === undefined) return reject(problems);
      const invalid = validate(checked, { mixedLiterals, mixedLiteralsIn });
      if (invalid.length > 0) return reject(invalid);
      if (resultType !== undefined && !sameType(checked.typeOf(checked.expr), resultType)) {
        return reject([{ offset: 0, message: `cel expression must evaluate to a ${formatType(resultType)}` }]);
      }
      return new CompiledProgram(source, checked, declarations.variables);
    },
  };
}
