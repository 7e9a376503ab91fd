package command

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"kith/text/markup"
)

// hasSettings reports whether a command or one of its parents takes the settings of the service.
func hasSettings(node *kong.Node) bool {
	for ; node != nil; node = node.Parent {
		if slices.ContainsFunc(node.Flags, func(f *kong.Flag) bool { return f.Name == "neo4j-uri" }) {
			return true
		}
	}
	return false
}

// hideSettings hides the settings of the service in the help and completion of all commands except serve. The flags still
// work.
func hideSettings(app *kong.Node) {
	serve := app.Children[slices.IndexFunc(app.Children, func(n *kong.Node) bool { return n.Name == "serve" })]
	_ = kong.Visit(app, func(v kong.Visitable, next kong.Next) error {
		if node, ok := v.(*kong.Node); ok && node != serve && hasSettings(node) {
			for _, f := range node.Flags {
				f.Hidden = f.Hidden || slices.ContainsFunc(serve.Flags, func(s *kong.Flag) bool { return s.Name == f.Name && len(s.Envs) > 0 })
			}
		}
		return next(nil)
	})
}

// printHelp prints the help of a command, and a hint at the settings if it takes them.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	if node := ctx.Selected(); node != nil && node.Name != "serve" && hasSettings(node) {
		_, err := fmt.Fprintln(ctx.Stdout, "\nThe settings of the service (see kith serve --help) apply too, as flags or KITH_ variables.")
		return err
	}
	return nil
}

// printUsageError prints three lines: the error, the usage of the command, and how to get help.
func printUsageError(out io.Writer, err error) {
	text, call := err.Error(), "kith"
	var wrong *kong.ParseError
	if errors.As(err, &wrong) && wrong.Context.Selected() != nil {
		node := wrong.Context.Selected()
		call = node.FullPath()
		for _, flags := range node.AllFlags(false) {
			for _, f := range flags {
				if f.Required && len(f.Envs) > 0 {
					text = strings.Replace(text, f.Summary(), f.Summary()+" (or set "+f.Envs[0]+")", 1)
				}
			}
		}
		_, _ = fmt.Fprintf(out, "kith: %s\nUsage: kith %s\n", markup.Plain(text), strings.TrimPrefix(node.Summary(), "kith "))
	} else {
		_, _ = fmt.Fprintf(out, "kith: %s\nUsage: kith <command> [flags]\n", markup.Plain(text))
	}
	_, _ = fmt.Fprintf(out, "Run \"%s --help\" for more information.\n", call)
}

// injected matches variables that Kubernetes and Docker set for a service named kith, and variables of tests.
var injected = regexp.MustCompile(`_SERVICE_(HOST|PORT)|_PORT(_|$)|^KITH_TEST_`)

// warnUnknownSettings warns of variables that begin with KITH_ and are not settings, with the nearest setting.
func warnUnknownSettings(out io.Writer, app *kong.Node, environ []string) {
	var known []string
	_ = kong.Visit(app, func(v kong.Visitable, next kong.Next) error {
		if f, ok := v.(*kong.Flag); ok {
			known = append(known, f.Envs...)
		}
		return next(nil)
	})
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "KITH_") || slices.Contains(known, name) || injected.MatchString(name) {
			continue
		}
		nearest := slices.MinFunc(known, func(a, b string) int { return distance(name, a) - distance(name, b) })
		_, _ = fmt.Fprintf(out, "kith: warning: %s is not a setting and is ignored; did you mean %s?\n", markup.Plain(name), nearest)
	}
}

// distance returns the Levenshtein distance of two texts, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
