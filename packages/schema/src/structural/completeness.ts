import { required, type Problem } from "../problem/problem.ts";
import type { SchemaNode } from "./node.ts";

/**
 * Checks that what the branches of the root speak of is also declared outside of them.
 *
 * The API server looks at the branches of the root only, and so does this.
 */
export function checkCompleteness(root: SchemaNode, path: string): Problem[] {
  return checkBranchesOf(root, root, path, path);
}

/** `branch` is where something is said, at `branchPath`; `node` is where it must be declared, at `path`. */
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
