package command

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	client "kith/clients/go"
	"kith/cmd/kith/internal/memoryfile"
	"kith/cmd/kith/internal/terminal"
	"kith/graph"
	"kith/memory/system"
	"kith/text/markup"
)

// systemCmd copies the memory of a software system between a running Kith and a memory file: load at the start of a
// workflow, export at its end if it succeeded.
type systemCmd struct {
	MemoryFile string `default:"context.json" help:"The memory file. A missing file is an empty memory; export creates it."`
	URL        string `env:"KITH_URL" default:"http://127.0.0.1:8080" help:"Address of a running Kith."`
	Key        string `env:"KITH_KEY" required:"" help:"An API key with the scopes read and write."`

	Load   loadSystemCmd   `cmd:"" help:"Replace the memory of a system with the memory file."`
	Merge  mergeSystemCmd  `cmd:"" help:"Merge the memory file into the memory of a system."`
	Export exportSystemCmd `cmd:"" help:"Write the memory of a system to the memory file."`
	Show   showSystemCmd   `cmd:"" help:"Print the memory of a system as text for a prompt."`
}

// memoryPath returns the API path of the system's memory.
func (c *systemCmd) memoryPath(system string) string {
	return "/v1/systems/" + url.PathEscape(system) + "/memory"
}

func (c *systemCmd) api() *client.Client { return client.New(c.URL, c.Key, nil) }

// fetchMemory gets the memory of the system, raw and parsed.
func (c *systemCmd) fetchMemory(ctx context.Context, system string) (file []byte, m system.Memory, err error) {
	if err = c.api().Call(ctx, http.MethodGet, c.memoryPath(system), nil, &file); err == nil {
		m, err = memoryfile.Parse(file)
	}
	return file, m, err
}

type loadSystemCmd struct {
	System string `arg:"" help:"Name of the system."`
	Strict bool   `help:"Fail if an end of a relationship is missing, instead of omitting the relationship with a warning."`
	Force  bool   `help:"Empty the system if the memory file does not exist."`
}

// Run replaces the memory of the system. Without --force it refuses to empty a system because the file is missing.
func (c *loadSystemCmd) Run(ctx context.Context, std Streams, parent *systemCmd) error {
	file, err := memoryfile.Read(parent.MemoryFile)
	if err != nil {
		return fmt.Errorf("load system: %w", err)
	}
	if file.Missing {
		_, stored, err := parent.fetchMemory(ctx, c.System)
		if err != nil {
			return fmt.Errorf("load system: %w", err)
		}
		if n := len(stored.Entities); n > 0 && !c.Force {
			return fmt.Errorf("load system: %s does not exist, and loading nothing would delete %d entities: "+
				"write it with kith system export, or use --force", parent.MemoryFile, n)
		}
		_, _ = fmt.Fprintf(std.Err, "%s does not exist: the system starts empty\n", parent.MemoryFile)
	}
	path := parent.memoryPath(c.System)
	if c.Strict {
		path += "?strict=true"
	}
	var result system.Result
	if err := parent.api().Call(ctx, http.MethodPut, path, file.Raw, &result); err != nil {
		return fmt.Errorf("load system: %s: %w", parent.MemoryFile, err)
	}
	return printResult(std, "loaded", &result)
}

type mergeSystemCmd struct {
	System string `arg:"" help:"Name of the system."`
	Strict bool   `help:"Fail if an item is refused, instead of omitting it with a warning."`
}

// Run merges the file into the system.
func (c *mergeSystemCmd) Run(ctx context.Context, std Streams, parent *systemCmd) error {
	file, err := memoryfile.Read(parent.MemoryFile)
	if err != nil {
		return fmt.Errorf("merge system: %w", err)
	}
	if file.Missing {
		_, err := fmt.Fprintf(std.Out, "%s does not exist: nothing to merge\n", parent.MemoryFile)
		return err
	}
	path := parent.memoryPath(c.System)
	if c.Strict {
		path += "?strict=true"
	}
	var result system.Result
	if err := parent.api().Call(ctx, http.MethodPost, path, file.Raw, &result); err != nil {
		return fmt.Errorf("merge system: %s: %w", parent.MemoryFile, err)
	}
	return printResult(std, "merged", &result)
}

type exportSystemCmd struct {
	System string `arg:"" help:"Name of the system."`
	Force  bool   `help:"Overwrite a file that is not a memory file, and a memory file with an empty system."`
}

// Run writes the file. Without --force it refuses to overwrite entities that were never loaded with an empty system.
func (c *exportSystemCmd) Run(ctx context.Context, std Streams, parent *systemCmd) error {
	file, stored, err := parent.fetchMemory(ctx, c.System)
	if err != nil {
		return fmt.Errorf("export system: %w", err)
	}
	if !c.Force {
		old, err := memoryfile.Read(parent.MemoryFile)
		if err != nil {
			return fmt.Errorf("export system: %w (--force overwrites it)", err)
		}
		if n := len(old.Memory.Entities); n > 0 && len(stored.Entities) == 0 {
			return fmt.Errorf("export system: the system is empty, and %s has %d entities: "+
				"load it first, or use --force", parent.MemoryFile, n)
		}
	}
	if err := memoryfile.Write(parent.MemoryFile, file); err != nil {
		return fmt.Errorf("export system: %w", err)
	}
	_, err = fmt.Fprintf(std.Out, "%s: %d entities, %d relationships\n", parent.MemoryFile, len(stored.Entities), len(stored.Relationships))
	return err
}

type showSystemCmd struct {
	System    string   `arg:"" help:"Name of the system."`
	Format    string   `default:"json" enum:"json,compact" help:"json: as in the memory file. compact: one line per entity and relationship."`
	MaxTokens int      `help:"Budget of the text in o200k tokens, 100 to 100,000."`
	Type      []string `sep:"none" help:"Only entities of this type. Can be repeated."`
	Tag       []string `sep:"none" help:"Only entities with this tag. Can be repeated."`
	Name      []string `sep:"none" help:"Only this entity and the entities linked to it. Can be repeated."`
}

// Run prints the text.
func (c *showSystemCmd) Run(ctx context.Context, std Streams, parent *systemCmd) error {
	query := url.Values{"format": {c.Format}, "type": c.Type, "tag": c.Tag, "name": c.Name}
	if c.MaxTokens != 0 {
		query.Set("max_tokens", fmt.Sprint(c.MaxTokens))
	}
	var text []byte
	if err := parent.api().Call(ctx, http.MethodGet, parent.memoryPath(c.System)+"/text?"+query.Encode(), nil, &text); err != nil {
		return fmt.Errorf("show system: %w", err)
	}
	printed := terminal.Visible(string(text))
	if c.Format == "json" {
		printed = markup.Document(string(text))
	}
	_, err := fmt.Fprintln(std.Out, printed)
	return err
}

// printResult prints the counts and warnings of a load or merge.
func printResult(std Streams, done string, r *system.Result) error {
	for _, w := range r.Warnings {
		_, _ = fmt.Fprintln(std.Err, "warning:", markup.Plain(w))
	}
	entities, relationships := map[graph.Status]int{}, map[graph.Status]int{}
	for _, e := range r.Entities {
		entities[e.Status]++
	}
	for _, l := range r.Relationships {
		relationships[l.Status]++
	}
	removed := system.Counts{}
	if r.Removed != nil {
		removed = *r.Removed
	}
	if err := printCounts(std.Out, done, "entities", entities, removed.Entities); err != nil {
		return err
	}
	return printCounts(std.Out, done, "relationships", relationships, removed.Relationships)
}

func printCounts(out io.Writer, done, what string, n map[graph.Status]int, removed int64) error {
	_, err := fmt.Fprintf(out, "%s %s: %d added, %d updated, %d unchanged, %d refused, %d removed\n",
		what, done, n[system.Added], n[graph.Updated], n[graph.Unchanged], n[graph.Refused], removed)
	return err
}
