// Completion scripts of shells. They know no command: they ask the program with `PROGRAM __complete -- WORDS`, so they never go stale. The program prints one
// suggestion per line, with a tab before its description; the line `:files` asks the shell to complete paths.

/** Shells with completion scripts. */
export const completionShells = ["bash", "zsh", "fish"] as const;
export type CompletionShell = (typeof completionShells)[number];

const scripts: Readonly<Record<CompletionShell, (program: string) => string>> = {
  bash: (program) => `# bash completion of ${program}
_${program}() {
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
  done < <(${program} __complete -- "\${words[@]}" 2>/dev/null)
}
complete -F _${program} ${program}`,
  zsh: (program) => `#compdef ${program}
# zsh completion of ${program}
_${program}() {
  local line
  local -a suggestions
  for line in "\${(@f)$(${program} __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ "$line" == ":files" ]]; then
      _files
    elif [[ "$line" == *$'\\t'* ]]; then
      suggestions+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    elif [[ -n "$line" ]]; then
      suggestions+=("\${line//:/\\\\:}")
    fi
  done
  (( \${#suggestions} )) && _describe '${program}' suggestions
}
compdef _${program} ${program}`,
  fish: (program) => `# fish completion of ${program}
function __${program}_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (${program} __complete -- $words[2..-1] 2>/dev/null)
    if test "$line" = ":files"
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c ${program} -f -a '(__${program}_complete)'`,
};

/** Returns the completion script of a shell for a program. The name of the program consists of letters and digits. */
export function completionScript(shell: CompletionShell, program: string): string {
  return scripts[shell](program);
}
