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

/** What an environment is made of. */
export interface EnvironmentOptions {
  /** Libraries beyond the standard one. */
  readonly libraries?: readonly Library[];
  /** The variables an expression may use, and their types. */
  readonly variables?: Readonly<Record<string, CelType>>;
  /** Names are also looked up under this prefix, as in a package. */
  readonly container?: string;
  /** Lets the elements of one literal have several types. Kubernetes forbids it, and so does the default. */
  readonly mixedLiterals?: boolean;
}

/** Compiles expressions that share libraries and variables. */
export interface Environment {
  /**
   * Parses and checks an expression.
   *
   * With `resultType`, an expression of any other type, dyn included, is refused.
   *
   * @throws CelCompileError with every problem found.
   */
  compile(source: string, options?: { readonly resultType?: CelType }): Program;
}

/**
 * An environment with the standard library and what the options add.
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
      const refuse = (problems: readonly Problem[]): never => {
        const issues = toIssues(source, problems);
        throw new CelCompileError({ source, issues, omitted: problems.length - issues.length });
      };
      const parsed = parse(source, declarations);
      if (parsed.expr === undefined) return refuse(parsed.problems);
      const { checked, problems } = check(parsed.expr, declarations);
      if (checked === undefined) return refuse(problems);
      const invalid = validate(checked, { mixedLiterals, mixedLiteralsIn });
      if (invalid.length > 0) return refuse(invalid);
      if (resultType !== undefined && !sameType(checked.typeOf(checked.expr), resultType)) {
        return refuse([{ offset: 0, message: `cel expression must evaluate to a ${formatType(resultType)}` }]);
      }
      return new CompiledProgram(source, checked, declarations.variables);
    },
  };
}
