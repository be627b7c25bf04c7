import { required, type Problem } from "../problem/problem.ts";
import type { SchemaNode } from "../structural/node.ts";

/**
 * Checks that fields and items which branches mention are also declared outside of the branches.
 *
 * Like the API server, this checks only the branches of the root.
 */
export function checkCompleteness(root: SchemaNode, path: string): Problem[] {
  return checkBranchesOf(root, root, path, path);
}

/** Checks that everything in `branch`, at `branchPath`, is declared in `node`, at `path`. */
function checkBranchesOf(branch: SchemaNode, node: SchemaNode, path: string, branchPath: string): Problem[] {
  const problems: Problem[] = [];
  if (branch.not !== undefined) problems.push(...check(branch.not, node, path, `${branchPath}.not`));
  for (const keyword of ["allOf", "anyOf", "oneOf"] as const) {
    branch[keyword].forEach((each, index) =>
      problems.push(...check(each, node, path, `${branchPath}.${keyword}[${index}]`)),
    );
  }
  return problems;
}

function check(branch: SchemaNode, node: SchemaNode | undefined, path: string, branchPath: string): Problem[] {
  if (node === undefined) return [required(path, `because it is defined in ${branchPath}`)];
  const problems = checkBranchesOf(branch, node, path, branchPath);
  if (branch.items !== undefined) {
    problems.push(...check(branch.items, node.items, `${path}.items`, `${branchPath}.items`));
  }
  for (const [name, property] of branch.properties) {
    const below = `properties[${name}]`;
    problems.push(...check(property, node.properties.get(name), `${path}.${below}`, `${branchPath}.${below}`));
  }
  return problems;
}
