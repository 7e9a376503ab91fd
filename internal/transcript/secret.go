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

// named are values after a name that says that they are secret, such as token= or Bearer.
var named = regexp.MustCompile(`(?i)((?:secret|token|api[_-]?key|access[_-]?key|private[_-]?key)["']?\s*[=:]\s*["']?|\bbearer\s+)([^\s"'@,;]{8,})`)

var (
	passwords = regexp.MustCompile(`(?i)((?:password|passwd)["']?\s*[=:]\s*["']?)[^\s"'@,;]{3,}`)
	addresses = regexp.MustCompile(`(\w://[^\s/:@]*:)[^\s/@]+@`) // with a password
)

// withoutSecrets returns a text without what looks like a key, token or password.
func withoutSecrets(text string) string {
	text = secrets.ReplaceAllString(text, removed)
	text = passwords.ReplaceAllString(text, "${1}"+removed)
	text = addresses.ReplaceAllString(text, "${1}"+removed+"@")
	return named.ReplaceAllStringFunc(text, func(found string) string {
		parts := named.FindStringSubmatch(found)
		if !strings.ContainsAny(parts[2], "0123456789") { // a word of a sentence or of a program
			return found
		}
		return parts[1] + removed
	})
}
