package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"kith/cmd/kith/internal/terminal"
	"kith/graph"
	"kith/text/markup"
)

// mergeCmd makes one node of two.
type mergeCmd struct {
	access
	recordArgument
	Other  string   `arg:"" help:"Key of the node that is merged into it: it is deleted, and its key leads to the first one."`
	Take   []string `placeholder:"FIELD,…" help:"Fields of which the other's value is kept where both have one: name, type, description, properties."`
	DryRun bool     `help:"Print what the merge would do, and do nothing."`
}

var errNotMerged = errors.New("relationships are not merged")

// Run merges the nodes and prints what that has done.
func (c *mergeCmd) Run(ctx context.Context, std Streams) error {
	path, err := c.path()
	if err != nil {
		return err
	}
	if !strings.HasPrefix(path, "/v1/nodes/") {
		return errNotMerged
	}
	var raw json.RawMessage
	write := graph.MergeWrite{Other: c.Other, Take: c.Take, DryRun: c.DryRun}
	if err := c.api().Call(ctx, http.MethodPost, path+"/merge?"+c.query().Encode(), write, &raw); err != nil {
		return err
	}
	if c.JSON {
		return terminal.PrintJSON(std.Out, raw)
	}
	var merge graph.Merge
	if err := json.Unmarshal(raw, &merge); err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	_, err = fmt.Fprint(std.Out, terminal.NewPaint(std.Out, c.NoColor).Markdown(mergeText(&merge, c.DryRun)))
	return err
}

// mergeText reports a merge: what has moved, which values were dropped, and how to undo it.
func mergeText(m *graph.Merge, isDryRun bool) string {
	var t strings.Builder
	done := "is merged into"
	if isDryRun {
		done = "would be merged into"
	}
	fmt.Fprintf(&t, "%s [%s] %s %s [%s].\n", markup.Name(m.Merged.Name), markup.Inline(m.Merged.EntityKey), done, markup.Name(m.Node.Name), markup.Inline(m.Node.EntityKey))
	fmt.Fprintf(&t, "- relationships: %d move, %d repeat its own or lead to it\n", m.Relationships, m.Left)
	if m.Nodes > 0 {
		fmt.Fprintf(&t, "- nodes of the project: %d move\n", m.Nodes)
	}
	for _, c := range m.Conflicts {
		fmt.Fprintf(&t, "- %s: %s is kept, %s is dropped\n", markup.Inline(c.Field), markup.JSON(string(c.Kept)), markup.JSON(string(c.Dropped)))
	}
	if !isDryRun {
		fmt.Fprintf(&t, "\nUntil %s this undoes it: kith restore %s/%s\n", m.UndoableUntil.Format(time.DateOnly), markup.Inline(m.Merged.Kind), markup.Inline(m.Merged.EntityKey))
	}
	return t.String()
}

// restoreCmd undoes the delete of a node or relationship, or the merge of a node.
type restoreCmd struct {
	access
	recordArgument
}

// Run restores the record.
func (c *restoreCmd) Run(ctx context.Context, std Streams) error {
	path, err := c.path()
	if err != nil {
		return err
	}
	var raw json.RawMessage
	if err := c.api().Call(ctx, http.MethodPost, path+"/restore?"+c.query().Encode(), nil, &raw); err != nil {
		return err
	}
	if c.JSON {
		return terminal.PrintJSON(std.Out, raw)
	}
	_, err = fmt.Fprintf(std.Out, "%s is restored\n", markup.Plain(c.Record))
	return err
}
