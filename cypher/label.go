package cypher

import "strings"

// ForLabel makes a statement whose node n has the label Deleted one for the nodes of another label.
func ForLabel(q Query, label string) Query {
	return q.with(strings.ReplaceAll(q.Text, "n:Deleted", "n:`"+strings.ReplaceAll(label, "`", "``")+"`"))
}
