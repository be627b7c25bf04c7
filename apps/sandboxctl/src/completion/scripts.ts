import type { CommandContext } from "../command/context.ts";
import { exitCodes } from "../command/errors.ts";
import type { Flags } from "../command/flags.ts";
import type { CommandInput } from "../command/input.ts";
import { shells } from "./definitions.ts";

// The scripts know no command: they ask the program, so they never go stale. The line `:files` asks the shell to complete paths.
const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `# bash completion of sandboxctl
_sandboxctl() {
  local line word is_joined= prefix= last=-1
  local -a words=()
  # Bash splits words at = and :, which are parts of options and names here. It replaces only what follows them.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ $last -ge 0 && $word =~ ^[=:]+$ ]]; then
      words[last]+=$word
      prefix=\${words[last]}
      is_joined=yes
    elif [[ -n $is_joined && -n $word ]]; then
      words[last]+=$word
      is_joined=
    else
      last=$((last + 1))
      words[last]=$word
      prefix=
      is_joined=
    fi
  done
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = ":files" ]; then
      compopt -o default 2>/dev/null
    elif [ -n "$line" ]; then
      line=\${line%%$'\\t'*}
      COMPREPLY+=("\${line#"$prefix"}")
    fi
  done < <(sandboxctl __complete -- "\${words[@]}" 2>/dev/null)
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
    elif [[ "$line" == *$'\\t'* ]]; then
      suggestions+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    elif [[ -n "$line" ]]; then
      suggestions+=("\${line//:/\\\\:}")
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
