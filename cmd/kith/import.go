package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"

	"kith/client"
	"kith/internal/terminal"
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
	Format string `enum:"auto,kith,mcp-memory,graphiti,mem0" default:"auto" help:"kith, mcp-memory (memory.jsonl of the MCP reference memory server), graphiti or mem0 (JSON). auto: detected from the file."`
	DryRun bool   `help:"Report what an import would do, and store nothing."`
	User   string `help:"User for items without one (default: shared by the team)."`
	Owner  string `help:"Name of the person who is the user; created if it is not in the file (default: a person named like the user, user or default_user)."`
	Strict bool   `help:"Stop at the first fault. Items before it stay stored, and up to 1,000 items after it if only the database found the fault."`
	URL    string `env:"KITH_URL" default:"http://127.0.0.1:8080" help:"Address of a running Kith."`
	Key    string `env:"KITH_KEY" required:"" help:"An API key with the scope write."`
	JSON   bool   `name:"json" help:"Print the report as JSON."`
}

// Run imports the file and prints the report. It fails if the service refused an item.
func (c *importFileCmd) Run(ctx context.Context, std streams) error {
	file, err := os.Open(c.Path)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	defer func() { _ = file.Close() }()
	progress := terminal.NewProgress(std.err)
	report, err := c.send(ctx, file, progress)
	if err != nil {
		progress.End()
		return fmt.Errorf("import: %w", err)
	}
	report.printNotes(progress)
	progress.End()
	if err := c.print(std.out, report); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	if refused := report.countRefused(); refused > 0 {
		return fmt.Errorf("import: refused: %d", refused)
	}
	return nil
}

func (c *importFileCmd) print(out io.Writer, report *importReport) error {
	if c.JSON {
		return terminal.PrintJSON(out, report)
	}
	_, err := io.WriteString(out, report.String())
	return err
}

func (c *importFileCmd) send(ctx context.Context, file *os.File, progress *terminal.Progress) (*importReport, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file, so it cannot be read again for a retry")
	}
	if c.Format == "auto" {
		switch c.Format = guessFormat(io.NewSectionReader(file, 0, info.Size())); c.Format {
		case "kith":
		case conversationsFormat:
			return nil, errors.New("the file looks like conversations: import it with kith import conversations FILE, or set --format")
		default:
			progress.Line("detected format " + c.Format + "; --format overrides it")
		}
	}
	query := c.query()
	id, lines, err := importID(io.NewSectionReader(file, 0, info.Size()), query)
	if err != nil {
		return nil, err
	}
	query.Set("import_id", id)
	u := &upload{
		api: client.New(c.URL, c.Key, nil), path: "/v1/import?" + query.Encode(), file: file, size: info.Size(), progress: progress,
	}
	if !c.DryRun {
		u.monitor = newStoredMonitor(u.api, id, c, progress, lines)
	}
	report, err := u.send(ctx)
	if err != nil && ctx.Err() != nil {
		err = u.monitor.interruptedError(ctx)
	}
	return report, err
}

func (c *importFileCmd) query() url.Values {
	query := url.Values{"format": {c.Format}, "dry_run": {strconv.FormatBool(c.DryRun)}}
	if c.User != "" {
		query.Set("user_id", c.User)
	}
	if c.Owner != "" {
		query.Set("owner", c.Owner)
	}
	if c.Strict {
		query.Set("strict", "true")
	}
	return query
}

// importID returns a hash of the content and the parameters, and the number of lines. The service resumes an interrupted
// import with the same id. As the hash includes the parameters, a dry run has another id.
func importID(content io.Reader, query url.Values) (id string, lines int, err error) {
	hash, counted := sha256.New(), &lineCounter{}
	_, _ = io.WriteString(hash, query.Encode()+"\n")
	if _, err := io.Copy(io.MultiWriter(hash, counted), content); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(hash.Sum(nil)), counted.lines(), nil
}

// lineCounter counts the lines of the text written to it. The last line may lack its newline.
type lineCounter struct {
	ended int
	open  bool
}

// Write counts the lines of p. It never fails.
func (c *lineCounter) Write(p []byte) (int, error) {
	c.ended += bytes.Count(p, []byte("\n"))
	if len(p) > 0 {
		c.open = p[len(p)-1] != '\n'
	}
	return len(p), nil
}

func (c *lineCounter) lines() int {
	if c.open {
		return c.ended + 1
	}
	return c.ended
}
