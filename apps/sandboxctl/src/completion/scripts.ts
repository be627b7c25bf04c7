import type { CommandContext } from "../command/context.ts";
import { exitCodes } from "../command/errors.ts";
import type { Flags } from "../command/flags.ts";
import type { CommandInput } from "../command/input.ts";
import { shells } from "./definitions.ts";

// The scripts know no command: they ask the program, so that they never go stale. The line `:files` asks the shell to complete paths.
const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `# bash completion of sandboxctl
_sandboxctl() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = ":files" ]; then
      compopt -o default 2>/dev/null
    elif [ -n "$line" ]; then
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <(sandboxctl __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _sandboxctl sandboxctl`,
  zsh: `#compdef sandboxctl
# zsh completion of sandboxctl
_sandboxctl() {
  local line
  local -a suggestions
  for line in "\${(@f)$(sandboxctl __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ "$line" == ":files" ]]; then
      _files
    elif [[ -n "$line" ]]; then
      suggestions+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done
  (( \${#suggestions} )) && _describe 'sandboxctl' suggestions
}
compdef _sandboxctl sandboxctl`,
  fish: `# fish completion of sandboxctl
function __sandboxctl_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (sandboxctl __complete -- $words[2..-1] 2>/dev/null)
    if test "$line" = ":files"
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c sandboxctl -f -a '(__sandboxctl_complete)'`,
};

/** Prints the completion script of a shell. */
export async function printScript(input: CommandInput<Flags>, { print }: CommandContext): Promise<number> {
  const shell = shells.find((each) => each === input.argument("SHELL"));
  if (shell !== undefined) print(scripts[shell]);
  return exitCodes.done;
}
