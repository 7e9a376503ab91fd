package transcript

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	// inserted are parts that programs add to what a user types.
	inserted = regexp.MustCompile(`(?s)<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics)>.*?</(system-reminder|ide_opened_file|ide_selection|ide_diagnostics)>`)
	// envelope is the beginning of a text that a user did not type: a slash command, its output, a report of a task.
	envelope = regexp.MustCompile(`^<(command-name|command-message|command-args|local-command-\w+|bash-\w+|task-notification|environment_context|user_instructions)>`)
	// query matches a text that Cursor has put between its tags.
	query = regexp.MustCompile(`(?s)^<user_query>(.*)</user_query>$`)
	// colour is an escape sequence of a terminal.
	colour = regexp.MustCompile(`\x1b\[[0-9;?]*[ -/]*[@-~]`)
)

// clean returns a text as it was typed or answered, without control characters and secrets. It returns "" for a text that a
// program wrote in the user's name.
func clean(text string) string {
	text = strings.TrimSpace(inserted.ReplaceAllString(text, ""))
	if envelope.MatchString(text) || strings.HasPrefix(text, "[Request interrupted by user") {
		return ""
	}
	if m := query.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, colour.ReplaceAllString(text, ""))
	return strings.TrimSpace(WithoutSecrets(text, removed))
}
