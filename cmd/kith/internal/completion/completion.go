// Package completion writes the shell scripts that complete kith's commands.
package completion

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Script returns a script for bash, zsh or fish that completes the commands and flags of kith, and the values of flags with
// a closed list.
func Script(shell string, app *kong.Application) string {
	var script strings.Builder
	commands := collectCommands(app.Node, "")
	switch shell {
	case "fish":
		writeFishScript(&script, commands)
	case "zsh":
		script.WriteString("autoload -Uz compinit bashcompinit && compinit && bashcompinit\n")
		fallthrough
	default:
		writeBashScript(&script, commands)
	}
	return script.String()
}

// command is a command with the words that may follow it.
type command struct {
	path  string   // such as " key create"
	words []string // subcommands, or values of its argument
	file  bool     // whether it takes a file
	flags []*kong.Flag
}

// collectCommands returns a command and all its subcommands.
func collectCommands(node *kong.Node, path string) []command {
	c := command{path: path}
	var below []command
	for _, child := range node.Children {
		if !child.Hidden {
			c.words = append(c.words, child.Name)
			below = append(below, collectCommands(child, path+" "+child.Name)...)
		}
	}
	c.addNode(node)
	if node.DefaultCmd != nil {
		c.addNode(node.DefaultCmd)
	}
	return append(below, c)
}

// addNode adds the flags and arguments of a command.
func (c *command) addNode(node *kong.Node) {
	for _, flag := range slices.Concat(node.AllFlags(true)...) {
		if !slices.ContainsFunc(c.flags, func(f *kong.Flag) bool { return f.Name == flag.Name }) {
			c.flags = append(c.flags, flag)
		}
	}
	for _, arg := range node.Positional {
		c.words = append(c.words, enumValues(arg)...)
		c.file = c.file || arg.Name == "file"
	}
}

// nextWords returns the words that may follow the command: its flags if it takes neither a word nor a file.
func (c *command) nextWords() string {
	if len(c.words) == 0 && !c.file {
		return c.flagNames()
	}
	return strings.Join(c.words, " ")
}

// flagNames returns the command's flags with their dashes.
func (c *command) flagNames() string {
	names := make([]string, len(c.flags))
	for i, flag := range c.flags {
		names[i] = "--" + flag.Name
	}
	return strings.Join(names, " ")
}

// enumValues returns the values of a flag or argument with a closed list, nil for others.
func enumValues(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return strings.Split(v.Enum, ",")
}

// writeBashScript writes the completion script for bash, which zsh can run too.
func writeBashScript(script *strings.Builder, commands []command) {
	write := func(format string, args ...any) { _, _ = fmt.Fprintf(script, format, args...) }
	write("_kith_value() {\n  case \"$1\" in\n")
	for _, c := range commands {
		for _, flag := range c.flags {
			if !flag.IsBool() {
				write("  '%s --%s') values='%s';;\n", c.path, flag.Name, strings.Join(enumValues(flag.Value), " "))
			}
		}
	}
	write("  *) return 1;;\n  esac\n}\n_kith_command() {\n  case \"$1\" in\n")
	for _, c := range commands {
		write("  '%s') next='%s' flags='%s';;\n", c.path, c.nextWords(), c.flagNames())
	}
	write(`  *) return 1;;
  esac
}
_kith() {
  local at='' word='' before='' i values next flags cur=${COMP_WORDS[COMP_CWORD]}
  _kith_command ''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word == = ]]; then continue; fi
    if [[ $before == -* ]] && _kith_value "$at $before"; then before=''; continue; fi
    before=$word
    if _kith_command "$at $word"; then at+=" $word"; fi
  done
  if [[ $cur == = ]]; then cur=''; fi
  if [[ $before == -* ]] && _kith_value "$at $before"; then next=$values
  elif [[ $cur == -* ]]; then next=$flags
  fi
  COMPREPLY=($(compgen -W "$next" -- "$cur"))
}
complete -o default -F _kith kith
`)
}

// writeFishScript writes the completion script for fish.
func writeFishScript(script *strings.Builder, commands []command) {
	write := func(format string, args ...any) { _, _ = fmt.Fprintf(script, format, args...) }
	write("complete -c kith -f\nset -g __kith_commands")
	for _, c := range commands {
		write(" '%s'", c.path)
	}
	write(`
function __kith_at
  set -l path ''
  for word in (commandline -opc)[2..]
    contains -- "$path $word" $__kith_commands; and set path "$path $word"
  end
  test "$argv[1]" = "$path"
end
`)
	for _, c := range commands {
		at := fmt.Sprintf("complete -c kith -n \"__kith_at '%s'\"", c.path)
		if len(c.words) > 0 {
			write("%s -a '%s'\n", at, strings.Join(c.words, " "))
		}
		if c.file {
			write("%s -F\n", at)
		}
		for _, flag := range c.flags {
			switch values := enumValues(flag.Value); {
			case flag.IsBool():
				write("%s -l %s\n", at, flag.Name)
			case len(values) > 0:
				write("%s -l %s -x -a '%s'\n", at, flag.Name, strings.Join(values, " "))
			default:
				write("%s -l %s -r\n", at, flag.Name)
			}
		}
	}
}
