package cypher

import "strings"

// ForLabel returns a statement, written for the label Deleted of its node n, for another label.
func ForLabel(q Query, label string) Query {
	return q.with(strings.ReplaceAll(q.Text, "n:Deleted", "n:`"+strings.ReplaceAll(label, "`", "``")+"`"))
}
