package transcript

import (
	"regexp"
	"strings"
)

// removed stands where a secret was.
const removed = "[secret removed]"

// secrets are the shapes of keys and tokens that their issuers document. A library of such rules (gitleaks) brings 200 packages; these are the shapes of the usual ones.
var secrets = regexp.MustCompile(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|\z)` +
	`|\b(kith_|sk-|sk_live_|sk_test_|rk_live_|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|npm_|pypi-|hf_|AIza|dop_v1_|shpat_|SG\.|whsec_)[A-Za-z0-9_.\-]{16,}` +
	`|\b(AKIA|ASIA)[A-Z0-9]{16}\b` +
	`|\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*`)

// addresses are addresses with a password, which may contain @.
var addresses = regexp.MustCompile(`(\w://[^\s/:]*:)[^\s/]+@`)

// Parts of expressions for a name and its value, in settings, programs and JSON. In JSON within a string, backslashes precede the quotes.
const (
	sign   = `\\*["'\x60]?\s*(?::=|=>|=+|:)\s*\\*`
	quoted = `"[^"\n]{3,}|'[^'\n]{3,}|\x60[^\x60\n]{3,}`
	bare   = `[^\s"'\x60]{2,}[^\s"'\x60,;]` // a comma or semicolon after it is not a part of it
	long   = `[^\s"'\x60]{7,}[^\s"'\x60,;]`
)

// named are values after a name that says that they are secret, such as token= or Bearer.
var named = []struct {
	value    *regexp.Regexp // the second group, at the end
	isSecret func(value string) bool
}{
	{regexp.MustCompile(`(?i)((?:password|passwd|passphrase)` + sign + `)(` + quoted + `|` + bare + `)`), isAny},
	{regexp.MustCompile(`(?i)((?:pwd|_pass)["'\x60]?\s*:?=\s*)(` + quoted + `|` + bare + `)`), isNoFolder},
	{regexp.MustCompile(`(?i)((?:pwd|_pass)\\*"\s*:\s*\\*)(` + quoted + `)`), isNoFolder},
	{regexp.MustCompile(`(?i)(authorization` + sign + `["'\x60]?(?:basic|bearer|digest|token)\s+)(` + long + `)`), isAny},
	{regexp.MustCompile(`(?i)((?:secret|token|api[_-]?key|access[_-]?key|private[_-]?key)` + sign + `["'\x60]?|\bbearer\s+)(` + long + `)`), hasDigit},
}

// folders are the values of PWD in shells and programs: a path, a variable or a call. Elsewhere PWD is a password, as in MYSQL_PWD.
var folders = regexp.MustCompile(`^(/|~|\.|\$[({A-Z]|%[A-Z]|[A-Za-z]:[\\/]|\\\\|[\w.]+\()`)

func isAny(string) bool { return true }

func isNoFolder(value string) bool { return !folders.MatchString(value) }

// hasDigit reports whether a value is not a word of a sentence or of a program.
func hasDigit(value string) bool { return strings.ContainsAny(value, "0123456789") }

// WithoutSecrets returns a text with a mark in place of everything that looks like a key, token or password.
func WithoutSecrets(text, mark string) string {
	text = secrets.ReplaceAllLiteralString(text, mark)
	text = addresses.ReplaceAllString(text, "${1}"+mark+"@")
	for _, n := range named {
		text = n.value.ReplaceAllStringFunc(text, func(found string) string {
			value := strings.TrimLeft(n.value.FindStringSubmatch(found)[2], "\"'`")
			if strings.HasPrefix(removed, value) || !n.isSecret(value) {
				return found
			}
			return strings.TrimSuffix(found, value) + mark
		})
	}
	return text
}
