package exchange

import (
	"context"
	"encoding/json"

	"kith/graph"
	"kith/internal/fault"
	"kith/memory/statement"
)

// readHeader reads whether the file has the statements of its messages. A continued import reads it again.
func (i *importer) readHeader(item Item) {
	var h Header
	_ = json.Unmarshal(item.Raw, &h) // the reader has decoded it
	i.searched = h.Statements
}

// addStatement adds a statement to the batch. It is stored after all nodes of the batch, so also after its message.
func (i *importer) addStatement(ctx context.Context, item Item) error {
	var l struct {
		statement.Line
		inTeam
	}
	if err := decodeItem(item.Raw, &l, &l.inTeam, i.scope.TeamID); err != nil {
		return i.recordFaults(ctx, item, fault.Fields(err)...)
	}
	if fields := i.Statements.CheckStatement(&l.Line, i.scope); len(fields) > 0 {
		return i.recordFaults(ctx, item, fields...)
	}
	i.batch.statements = append(i.batch.statements, l.Line)
	i.batch.statementLines = append(i.batch.statementLines, item.Line)
	i.batch.bytes += len(item.Raw)
	return nil
}

// alsoStatements lets the transaction of a batch store its statements. So the mark of an import's progress is stored with them.
func (i *importer) alsoStatements(b *batch) {
	if len(b.statements) == 0 {
		return
	}
	b.Also = func(t *graph.Tx, planned func(key string) (graph.Properties, error)) (err error) {
		b.statementResults, err = i.Statements.RestoreStatements(t, i.scope, b.statements, planned)
		return err
	}
}

// countStatements adds the results of a batch's statements to the report, and returns the findings with those of refused ones.
func (i *importer) countStatements(b *batch, all []finding) []finding {
	for n, r := range b.statementResults {
		i.report.Statements.add(r.Status)
		if r.Status == graph.Refused {
			all = append(all, finding{Refusal{b.statementLines[n], r.Field, r.Message}, false, StatementItem})
		}
	}
	return all
}

// addPause adds a pause to the batch.
func (i *importer) addPause(ctx context.Context, item Item) error {
	var l struct {
		statement.PauseLine
		inTeam
	}
	if err := decodeItem(item.Raw, &l, &l.inTeam, i.scope.TeamID); err != nil {
		return i.recordFaults(ctx, item, fault.Fields(err)...)
	}
	of, fields := statement.CheckPause(&l.PauseLine, i.scope)
	if len(fields) == 0 && of.UserID == "" && !i.options.Admin {
		fields = fault.Fields(fault.Invalid(fault.At("user_id"), fault.NotAllowed, "null is the whole team, which only a key with the scope admin may pause"))
	}
	if len(fields) > 0 {
		return i.recordFaults(ctx, item, fields...)
	}
	i.batch.pauses = append(i.batch.pauses, of)
	i.batch.bytes += len(item.Raw)
	return nil
}

// storePauses stores the pauses of a batch. Storing one again changes nothing, so they need not be in the transaction of the rest.
func (i *importer) storePauses(ctx context.Context, b *batch) error {
	for _, of := range b.pauses {
		created, err := i.Statements.RestorePause(ctx, of, i.options.DryRun)
		if err != nil {
			return err
		}
		if created {
			i.report.Pauses.Created++
		} else {
			i.report.Pauses.Unchanged++
		}
	}
	return nil
}
