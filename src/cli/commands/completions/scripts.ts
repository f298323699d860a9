/**
 * Completion scripts. Each gives the words before the cursor to `torc complete`, whose lines `complete.ts` describes, and hands what
 * comes back to the shell as data: no text of a candidate is ever evaluated, since names come from workflows of other people.
 */

import type { shells } from '../../command/kinds.ts';

export type Shell = (typeof shells)[number];

/** Works without the package bash-completion, and with bash 3.2, which macOS has. */
const bash = `# Completion of torc for bash: source <(torc completions bash)
_torc() {
  local rest=\${COMP_LINE:0:COMP_POINT} last=\${COMP_WORDS[COMP_CWORD]} before='' part line value i
  local words=()
  # Bash splits words at = and : too. What stands together on the line is one word.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    part=\${COMP_WORDS[i]}
    if ((i == 0)) || [[ $rest == [[:space:]]* ]]; then
      rest=\${rest#"\${rest%%[![:space:]]*}"}
      words+=("")
      before=''
    elif [[ $last != [=:] || $i -lt $COMP_CWORD ]]; then
      before=\${words[\${#words[@]}-1]}
    fi
    # The last one ends at the cursor.
    ((i == COMP_CWORD)) && part=$rest
    words[\${#words[@]}-1]+=$part
    rest=\${rest#"$part"}
  done
  # A separator alone stays where it is: bash completes what comes behind it.
  [[ $last == [=:] ]] && before=\${words[\${#words[@]}-1]}
  COMPREPLY=()
  compopt +o default 2>/dev/null
  local typed=\${words[\${#words[@]}-1]} is_quoted=''
  if [[ $typed == [\\"\\']* ]]; then is_quoted=1; fi
  # As the program would get them, without quotes and backslashes.
  for ((i = 0; i < \${#words[@]}; i++)); do
    words[i]=\${words[i]//[\\\\\\"\\']/}
  done
  while IFS= read -r line; do
    case $line in
      =*)
        value=\${line#=}
        value=\${value%%$'\\t'*}
        if [[ -z $is_quoted ]]; then printf -v value '%q' "$value"; fi
        COMPREPLY+=("\${value#"$before"}")
        ;;
      :files*) _torc_files "\${typed#"$before"}" \${line#:files} ;;
      :folders) _torc_folders "\${typed#"$before"}" ;;
    esac
  done < <(torc complete -- "\${words[@]:1}" </dev/null 2>/dev/null)
  # A value follows the sign.
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
_torc_files() {
  local typed=$1 name ending
  shift
  compopt -o filenames 2>/dev/null
  # Readline knows files best; it is asked where any file will do.
  if (($# == 0)); then
    compopt -o default 2>/dev/null
    return
  fi
  while IFS= read -r name; do
    if [[ -d $name ]]; then
      COMPREPLY+=("$name")
      continue
    fi
    for ending; do
      if [[ $name == *.$ending ]]; then COMPREPLY+=("$name"); fi
    done
  done < <(compgen -f -- "$typed")
}
_torc_folders() {
  local name
  compopt -o filenames 2>/dev/null
  while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -d -- "$1")
}
complete -o default -F _torc torc
`;

const zsh = `#compdef torc
# Completion of torc for zsh: source <(torc completions zsh), or this text as _torc in a folder of $fpath
_torc() {
  local line value says tab=$'\\t'
  local -a values shown files
  local wants_folders=0 wants_files=0
  while IFS= read -r line; do
    case $line in
      ('='*)
        line=\${line#'='}
        value=\${line%%$tab*}
        says=\${\${line#$value}#$tab}
        values+=("$value")
        if [[ -n $says ]]; then shown+=("$value  -- $says"); else shown+=("$value"); fi
        ;;
      (:files*) wants_files=1; files=(\${=line#:files}) ;;
      (:folders) wants_folders=1 ;;
    esac
  done < <(torc complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" </dev/null 2>/dev/null)
  local found=1
  if (( \${#values} )); then compadd -l -d shown -a values && found=0; fi
  if (( wants_files )); then
    if (( \${#files} )); then _files -g "*.(\${(j:|:)files})" && found=0; else _files && found=0; fi
  fi
  if (( wants_folders )); then _files -/ && found=0; fi
  return found
}
if [[ \${funcstack[1]-} == _torc ]]; then
  _torc "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _torc torc
fi
`;

const fish = `# Completion of torc for fish: torc completions fish | source
function __torc_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l typed (commandline -ct)
    for line in (command torc complete -- $words[2..-1] 2>/dev/null)
        switch $line
            case '=*'
                string sub -s 2 -- $line
            case ':files*'
                set -l endings (string split ' ' -- $line)[2..-1]
                for name in $typed*
                    if test -d $name
                        echo $name/
                    else if test (count $endings) -eq 0; or contains -- (string replace -r '^.*\\.' '' -- $name) $endings
                        echo $name
                    end
                end
            case ':folders'
                for name in $typed*/
                    echo $name
                end
        end
    end
end
complete -c torc -e
complete -c torc -f -a '(__torc_complete)'
`;

const elvish = `# Completion of torc for elvish: eval (torc completions elvish | slurp)
use str
set edit:completion:arg-completer[torc] = {|@words|
  torc complete -- (all $words[1..]) 2>/dev/null | from-lines | each {|line|
    if (str:has-prefix $line '=') {
      put (str:split "\\t" $line[1..] | take 1)
    } elif (or (str:has-prefix $line ':files') (eq $line ':folders')) {
      edit:complete-filename $words[-1]
    }
  }
}
`;

const powershell = `# Completion of torc for PowerShell: torc completions powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName torc -ScriptBlock {
  param($typed, $ast, $cursor)
  $words = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -le $cursor } | ForEach-Object { $_.ToString() })
  $before = @($words | Select-Object -Skip 1)
  if ($typed -eq '') { $before += '' }
  torc complete -- @before 2>$null | Where-Object { $_.StartsWith('=') } | ForEach-Object {
    $value, $says = $_.Substring(1).Split([char]9, 2)
    if (-not $says) { $says = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $says)
  }
}
`;

export const scripts: Readonly<Record<Shell, string>> = { bash, elvish, fish, powershell, zsh };
