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
)

// importCmd loads memories that Kith or other programs wrote.
type importCmd struct {
	File          importFileCmd          `cmd:"" default:"withargs" help:"Load an export of Kith, or another system's file. The word file may be left out."`
	Conversations importConversationsCmd `cmd:"" help:"Load conversations from a file with one JSON object a turn."`
}

// importFileCmd sends a file to POST /v1/import. Importing a file again changes nothing; an import that broke off goes on
// where it stopped.
type importFileCmd struct {
	Path   string `arg:"" name:"file" type:"existingfile" help:"The file: lines of kith export, or another system's."`
	Format string `enum:"auto,kith,mcp-memory,graphiti,mem0" default:"auto" help:"kith, mcp-memory (memory.jsonl of the reference MCP memory server), graphiti or mem0 (JSON); auto: what the beginning of the file shows."`
	DryRun bool   `help:"Only say what would be done."`
	User   string `help:"Whose memory it becomes, where the file does not say (default: shared by the team)."`
	Owner  string `help:"The name of the person who is the user: of the file, else one is made (default: a person named like the user, user or default_user)."`
	Strict bool   `help:"Stop at the first fault; what stands before it is stored, and the rest of its piece of at most 1,000 items where only the database could tell."`
	URL    string `env:"KITH_URL" default:"http://127.0.0.1:8080" help:"Address of a running Kith."`
	Key    string `env:"KITH_KEY" required:"" help:"An API key with the scope write."`
	JSON   bool   `name:"json" help:"The report as JSON."`
}

// Run imports the file. What the service refuses is told, and makes it fail.
func (c *importFileCmd) Run(ctx context.Context, std streams) error {
	file, err := os.Open(c.Path)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	defer func() { _ = file.Close() }()
	progress := newProgress(std.err)
	report, err := c.send(ctx, file, progress)
	if err != nil {
		progress.end()
		return fmt.Errorf("import: %w", err)
	}
	report.tell(progress)
	progress.end()
	if err := c.print(std.out, report); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	if refused := report.refusals(); refused > 0 {
		return fmt.Errorf("import: refused: %d", refused)
	}
	return nil
}

func (c *importFileCmd) print(out io.Writer, report *importReport) error {
	if c.JSON {
		return printJSON(out, report)
	}
	_, err := io.WriteString(out, report.String())
	return err
}

func (c *importFileCmd) send(ctx context.Context, file *os.File, progress *progress) (*importReport, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("the file must be a regular one: it may have to be read again")
	}
	if c.Format == "auto" {
		switch c.Format = guessFormat(io.NewSectionReader(file, 0, info.Size())); c.Format {
		case "kith":
		case conversations:
			return nil, errors.New("the file looks like one of conversations: kith import conversations FILE loads it; --format names another format")
		default:
			progress.line("the file looks like one of " + c.Format + "; --format names another format")
		}
	}
	query := c.query()
	id, lines, err := importID(io.NewSectionReader(file, 0, info.Size()), query)
	if err != nil {
		return nil, err
	}
	query.Set("import_id", id)
	u := &upload{
		transfer: transfer{api: newAPIClient(c.URL, c.Key), silence: longestSilence, pause: firstPause, say: progress.line},
		path:     "/v1/import?" + query.Encode(), file: file, size: info.Size(), progress: progress,
	}
	if !c.DryRun {
		u.stored = newStoredWatch(u.api, id, c, progress, lines)
	}
	report, err := u.send(ctx)
	if err != nil && ctx.Err() != nil {
		err = u.stored.interrupted(ctx)
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

// importID is the same for the same content imported in the same way, wherever the file lies: by it the service knows
// an import that broke off. A dry run must not be taken for one. It returns the number of the content's lines as well.
func importID(content io.Reader, query url.Values) (id string, lines int, err error) {
	hash, counted := sha256.New(), &lineCount{}
	_, _ = io.WriteString(hash, query.Encode()+"\n")
	if _, err := io.Copy(io.MultiWriter(hash, counted), content); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(hash.Sum(nil)), counted.lines(), nil
}

// lineCount counts the lines of what is written to it; the last one may lack its newline.
type lineCount struct {
	ended int
	open  bool
}

// Write counts.
func (c *lineCount) Write(p []byte) (int, error) {
	c.ended += bytes.Count(p, []byte("\n"))
	if len(p) > 0 {
		c.open = p[len(p)-1] != '\n'
	}
	return len(p), nil
}

func (c *lineCount) lines() int {
	if c.open {
		return c.ended + 1
	}
	return c.ended
}
