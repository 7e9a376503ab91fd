package command

import (
	"context"
	"fmt"
	"io"

	client "kith/clients/go"
	"kith/cmd/kith/internal/terminal"
	"kith/cmd/kith/internal/transfer"
)

// importCmd imports the files of Kith and of other programs.
type importCmd struct {
	File          importFileCmd          `cmd:"" default:"withargs" help:"Import an export of Kith or another system's file. The word file is optional."`
	Conversations importConversationsCmd `cmd:"" help:"Import conversations from a file with one JSON object per turn."`
}

// importFileCmd sends a file to POST /v1/import. Importing a file again changes nothing. An interrupted import resumes
// where it stopped.
type importFileCmd struct {
	Path   string `arg:"" name:"file" type:"existingfile" help:"The file: the output of kith export, or another system's file."`
	Format string `enum:"auto,kith,mcp-memory,graphiti,mem0,zep,letta,cognee,langgraph,chatgpt,claude,claude-code,openai,anthropic" default:"auto" help:"kith, mcp-memory (memory.jsonl of the MCP reference memory server), graphiti, mem0, zep or cognee (JSON), letta (.af), langgraph (items of a store as JSON lines); conversations: chatgpt or claude (zip of an export), claude-code (a session), openai or anthropic (log of requests). auto: detected from the file."`
	DryRun bool   `help:"Report what an import would do, and store nothing."`
	User   string `help:"User for items without one (default: shared by the team). Required for conversations."`
	Owner  string `help:"Name of the person who is the user; created if it is not in the file (default: a person named like the user, user or default_user)."`
	Strict bool   `help:"Stop at the first fault. Items before it stay stored, and up to 1,000 items after it if only the database found the fault."`
	URL    string `env:"KITH_URL" default:"http://127.0.0.1:8080" help:"Address of a running Kith."`
	Key    string `env:"KITH_KEY" required:"" help:"An API key with the scope write."`
	JSON   bool   `name:"json" help:"Print the report as JSON."`
}

// Run imports the file and prints the report. It fails if the service refused an item.
func (c *importFileCmd) Run(ctx context.Context, std Streams) error {
	progress := terminal.NewProgress(std.Err)
	report, err := transfer.Import(ctx, client.New(c.URL, c.Key, nil), c.Path, transfer.Options{
		Format: c.Format, User: c.User, Owner: c.Owner, DryRun: c.DryRun, Strict: c.Strict,
	}, progress)
	if err != nil {
		progress.End()
		return fmt.Errorf("import: %w", err)
	}
	report.PrintNotes(progress)
	progress.End()
	if err := c.print(std.Out, report); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	if refused := report.CountRefused(); refused > 0 {
		return fmt.Errorf("import: refused: %d", refused)
	}
	return nil
}

func (c *importFileCmd) print(out io.Writer, report *transfer.Report) error {
	if c.JSON {
		return terminal.PrintJSON(out, report)
	}
	_, err := io.WriteString(out, report.String())
	return err
}
