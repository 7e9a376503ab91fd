package command

import (
	"io"

	"github.com/alecthomas/kong"

	"kith/cmd/kith/internal/completion"
)

// completionCmd prints a shell script that completes kith's commands, flags, and the values of flags with a closed list.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints the script. It is used as source <(kith completion bash), or kith completion fish | source.
func (c *completionCmd) Run(std Streams, app *kong.Kong) error {
	_, err := io.WriteString(std.Out, completion.Script(c.Shell, app.Model))
	return err
}
