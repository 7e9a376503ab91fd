package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completionCmd prints what a shell needs to complete kith's commands and flags.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints the script: source <(kith completion bash), or kith completion fish | source.
func (c *completionCmd) Run(std streams, app *kong.Kong) error {
	var script strings.Builder
	switch c.Shell {
	case "fish":
		script.WriteString("complete -c kith -f\n")
		eachCommand(app.Model.Node, nil, func(path, words []string) {
			fmt.Fprintf(&script, "complete -c kith -n '__kith_at %s' -a '%s'\n", strings.Join(path, " "), strings.Join(words, " "))
		})
		script.WriteString("function __kith_at\n  test \"$argv\" = (string join ' ' -- (string match -v -- '-*' (commandline -opc)[2..]))\nend\n")
	default:
		if c.Shell == "zsh" {
			script.WriteString("autoload -Uz compinit bashcompinit && compinit && bashcompinit\n")
		}
		script.WriteString("_kith() {\n  local path='' word i\n  for ((i = 1; i < COMP_CWORD; i++)); do word=${COMP_WORDS[i]}; [[ $word == -* ]] || path+=\" $word\"; done\n  local words\n  case \"$path\" in\n")
		eachCommand(app.Model.Node, nil, func(path, words []string) {
			fmt.Fprintf(&script, "  '%s') words='%s';;\n", strings.Join(append([]string{""}, path...), " "), strings.Join(words, " "))
		})
		script.WriteString("  esac\n  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\ncomplete -o default -F _kith kith\n")
	}
	_, err := fmt.Fprint(std.out, script.String())
	return err
}

// eachCommand visits a command and all below it, with what may come next: commands and flags.
func eachCommand(node *kong.Node, path []string, visit func(path, words []string)) {
	var words []string
	for _, child := range node.Children {
		if !child.Hidden {
			words = append(words, child.Name)
			eachCommand(child, append(slices.Clone(path), child.Name), visit)
		}
	}
	for _, flags := range node.AllFlags(true) {
		for _, flag := range flags {
			words = append(words, "--"+flag.Name)
		}
	}
	visit(path, words)
}
