package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"kith/markup"
)

// hasSettings reports whether a command takes the settings of the service, its own or those of the command that it belongs to.
func hasSettings(node *kong.Node) bool {
	for ; node != nil; node = node.Parent {
		if slices.ContainsFunc(node.Flags, func(f *kong.Flag) bool { return f.Name == "neo4j-uri" }) {
			return true
		}
	}
	return false
}

// hideSettings keeps the settings of the service out of the help of all commands but serve, and out of completion. They work everywhere.
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

// help prints the help of a command, and where the settings are that it takes besides.
func help(options kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	if node := ctx.Selected(); node != nil && node.Name != "serve" && hasSettings(node) {
		_, err := fmt.Fprintln(ctx.Stdout, "\nThe settings of the service (kith serve --help) apply too, as flags or as KITH_ variables.")
		return err
	}
	return nil
}

// explainUsage says in three lines what is wrong with a command line, how the command is called, and where its help is.
func explainUsage(out io.Writer, err error) {
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
	_, _ = fmt.Fprintf(out, "Run \"%s --help\" for more.\n", call)
}

// injected are variables that Kubernetes and Docker make of a service by the name of kith, and those of tests.
var injected = regexp.MustCompile(`_SERVICE_(HOST|PORT)|_PORT(_|$)|^KITH_TEST_`)

// warnOfUnknown warns of variables that look like settings and are none, each with the nearest name.
func warnOfUnknown(out io.Writer, app *kong.Node, environ []string) {
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
		_, _ = fmt.Fprintf(out, "kith: warning: %s is not a setting, and is ignored; the nearest is %s\n", markup.Plain(name), nearest)
	}
}

// distance is how many letters have to be added, taken away or replaced to make one text of another.
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
