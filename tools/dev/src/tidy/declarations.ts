// Reads the public names of a module, with their declarations and doc comments, from the compiled `.d.ts` files.
//
// The compiler's parser does the work: unions with comments between their members, strings with braces and template types
// cannot be split reliably by lines.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "@homeostat/typescript-6";

/** A public name and what its users see of it. */
export interface PublicName {
  readonly name: string;
  /** Declarations with doc comments: every overload, and no private or internal members. */
  readonly declaration: string;
  /** Module that declares the name. Equal for two names that are the same thing. */
  readonly origin: Origin;
}

/** The place where a name is declared. */
export interface Origin {
  /** Path of a `.d.ts` file, or the specifier of another package. */
  readonly module: string;
  /** Name inside of that module. */
  readonly local: string;
}

/** Returns the public names of a compiled module, sorted. Throws on `export *`: public names must be listed explicitly. */
export function publicNames(file: string): PublicName[] {
  return [...moduleOf(file).exports.keys()]
    .map((name) => {
      const origin = originOf(file, name);
      return { name, declaration: declarationText(name, origin), origin };
    })
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/**
 * Returns the names that a declaration refers to: parameter and return types, members, base classes, constraints. Private
 * and internal members, type parameters and names of the language are left out.
 */
export function referencesOf({ module, local }: Origin): Origin[] {
  if (!isFile(module)) return [];
  const { declarations } = moduleOf(module);
  const found = new Map<string, Origin>();
  const add = (name: ts.EntityName | ts.Expression): void => {
    const origin = resolveEntity(module, name);
    if (origin !== undefined) found.set(keyOf(origin), origin);
  };
  const visit = (node: ts.Node): void => {
    if (isHidden(node)) return;
    if (ts.isTypeReferenceNode(node)) add(node.typeName);
    else if (ts.isTypeQueryNode(node)) add(node.exprName);
    else if (ts.isExpressionWithTypeArguments(node)) add(node.expression);
    ts.forEachChild(node, visit);
  };
  for (const node of declarations.get(local) ?? []) visit(node);
  return [...found.values()];
}

/** Returns a text that is equal for equal origins. */
export function keyOf({ module, local }: Origin): string {
  return `${module}#${local}`;
}

interface Export {
  /** Name in the module that declares it; `*` for the module itself. */
  readonly local: string;
  /** Module that it is re-exported from; undefined when the module itself declares it. */
  readonly from: string | undefined;
}

interface Module {
  readonly source: ts.SourceFile;
  /** Top-level declarations by name; several for overloads and merged declarations. */
  readonly declarations: ReadonlyMap<string, readonly ts.Node[]>;
  readonly imports: ReadonlyMap<string, Export>;
  readonly exports: ReadonlyMap<string, Export>;
}

const modules = new Map<string, Module>();

function moduleOf(file: string): Module {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const declarations = new Map<string, ts.Node[]>();
  const imports = new Map<string, Export>();
  const exports = new Map<string, Export>();
  const declare = (name: string, node: ts.Statement): void => {
    declarations.set(name, [...(declarations.get(name) ?? []), node]);
    if (!hasModifier(node, ts.SyntaxKind.ExportKeyword)) return;
    const isDefault = hasModifier(node, ts.SyntaxKind.DefaultKeyword);
    exports.set(isDefault ? "default" : name, { local: name, from: undefined });
  };
  for (const statement of source.statements) {
    if (ts.isExportDeclaration(statement)) {
      const from = specifierOf(statement.moduleSpecifier);
      if (statement.exportClause === undefined || ts.isNamespaceExport(statement.exportClause)) {
        throw new Error(`${file} uses export * from ${from}; list the public names`);
      }
      for (const { name, propertyName } of statement.exportClause.elements) {
        exports.set(name.text, { local: (propertyName ?? name).text, from });
      }
    } else if (ts.isExportAssignment(statement)) {
      exports.set("default", { local: statement.expression.getText(source), from: undefined });
    } else if (ts.isImportDeclaration(statement)) {
      const from = specifierOf(statement.moduleSpecifier);
      const { name, namedBindings } = statement.importClause ?? {};
      if (name !== undefined) imports.set(name.text, { local: "default", from });
      if (namedBindings !== undefined && ts.isNamespaceImport(namedBindings)) {
        imports.set(namedBindings.name.text, { local: "*", from });
      } else if (namedBindings !== undefined) {
        for (const item of namedBindings.elements) {
          imports.set(item.name.text, { local: (item.propertyName ?? item.name).text, from });
        }
      }
    } else if (ts.isVariableStatement(statement)) {
      for (const { name } of statement.declarationList.declarations) declare(name.getText(source), statement);
    } else if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
      declare(statement.name?.text ?? "default", statement);
    } else if (
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      ts.isEnumDeclaration(statement) ||
      ts.isModuleDeclaration(statement)
    ) {
      declare(statement.name.text, statement);
    }
  }
  const module = { source, declarations, imports, exports };
  modules.set(file, module);
  return module;
}

/** Returns the place where an exported name is declared. */
function originOf(file: string, name: string): Origin {
  const found = moduleOf(file).exports.get(name);
  if (found === undefined) throw new Error(`${file} does not export ${name}`);
  const origin = found.from === undefined ? resolve(file, found.local) : follow(file, found);
  if (origin === undefined) throw new Error(`${file} does not declare ${found.local}`);
  return origin;
}

/** Returns the place where a name that is used in a module is declared; undefined for type parameters and global names. */
function resolve(file: string, name: string): Origin | undefined {
  const { declarations, imports } = moduleOf(file);
  if (declarations.has(name)) return { module: file, local: name };
  const imported = imports.get(name);
  return imported === undefined ? undefined : follow(file, imported);
}

/** Returns the place where a name such as `Page` or `listing.Page` is declared, where `listing` is an imported module. */
function resolveEntity(file: string, name: ts.EntityName | ts.Expression): Origin | undefined {
  const [first = "", second] = name.getText().split(".");
  const imported = second === undefined ? undefined : moduleOf(file).imports.get(first);
  return second !== undefined && imported?.local === "*"
    ? follow(file, { local: second, from: imported.from })
    : resolve(file, first);
}

function follow(importer: string, { local, from = "" }: Export): Origin {
  // Names of another package are described on that package's page.
  if (!from.startsWith(".")) return { module: from, local };
  return originOf(join(dirname(importer), from.replace(/\.(?:js|ts)$/, ".d.ts")), local);
}

function declarationText(name: string, { module, local }: Origin): string {
  if (!isFile(module)) {
    return `export { ${local === name ? name : `${local} as ${name}`} } from "${module}";`;
  }
  const { source, declarations } = moduleOf(module);
  return (declarations.get(local) ?? []).map((node) => textOf(node, source)).join("\n");
}

/** Returns the text of a declaration with its doc comments, without private and internal members. */
function textOf(node: ts.Node, source: ts.SourceFile): string {
  const start = docStart(node, source);
  const pieces: string[] = [];
  let position = start;
  const members = ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) ? [...node.members] : [];
  for (const member of members.filter(isHidden)) {
    pieces.push(source.text.slice(position, member.pos));
    position = member.end;
  }
  pieces.push(source.text.slice(position, node.end));
  return pieces.join("");
}

/** Returns the position of the last doc comment before a declaration; that of the declaration if it has none. */
function docStart(node: ts.Node, source: ts.SourceFile): number {
  const docs = (ts.getLeadingCommentRanges(source.text, node.pos) ?? []).filter(({ pos }) =>
    source.text.startsWith("/**", pos),
  );
  return docs.at(-1)?.pos ?? node.getStart(source);
}

/** Reports whether users do not see a member: it is private, or its doc comment has the tag `@internal`. */
function isHidden(node: ts.Node): boolean {
  if (!ts.isClassElement(node) && !ts.isTypeElement(node)) return false;
  if (ts.getJSDocTags(node).some(({ tagName }) => tagName.text === "internal")) return true;
  return (
    hasModifier(node, ts.SyntaxKind.PrivateKeyword) || (node.name !== undefined && ts.isPrivateIdentifier(node.name))
  );
}

function hasModifier(node: ts.Node, kind: ts.SyntaxKind): boolean {
  return ts.canHaveModifiers(node) && (ts.getModifiers(node)?.some((modifier) => modifier.kind === kind) ?? false);
}

function specifierOf(node: ts.Expression | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteral(node) ? node.text : undefined;
}

function isFile(module: string): boolean {
  return module.endsWith(".d.ts") && existsSync(module);
}
