package recognise

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"kith/tests/hostile/shapes"
	"kith/text/steps"
)

// statementsOf returns the statements in a message, however long that takes.
func statementsOf(message string) []Statement {
	all, err := Statements(context.Background(), message)
	if err != nil {
		panic(err)
	}
	return all
}

// signs has what the readers of this package treat in a way of its own.
var signs = []string{ //nolint:gochecknoglobals // a constant table
	"a", "a ", "ab", "i ", "i love ", "i hate x ", "always ", "always never ", "when i ask ", "if ", "my name is Bob ", "i live in ", "may 3 ", "on monday at 5 ", "next friday ", "he said ", "he said: ", "forget ", "and ", "or ", "because ", "do you ",
	"ich wohne in ", "ich mag ", "wenn ", "me gusta ", "j'aime ", "l'", "总是", "我喜欢", "私は", "が好きです", "ー", "é", "İ", "ß", "1", "1.", "1 ", "12:30", "3. ", "mr. ", "e.g.",
	"'", "’", "'s", "'m", "a's", "a’s", ".", ". ", "..", "!", "? ", "?", "…", "。", "！", ",", ", ", ";", ":", "-", "- ", "–", "—", "*", "•", "#", "¿",
	"\"", "\"a", "“", "”", "„", "«", "»", "「", "」", "『", "』", "(", ")", "```", "~~~", "> ", "| ", "<", "//", "{", "};", "=", "`", "_", "$",
	"From: @", "on x wrote:", "-----", "\u0301", "\u200b", "\u202e", "\xff", "\x00", "\t", "\n", "\r\n", "\n\n", " ", "\u00a0",
}

// endings has what closes all that a sign may open.
var endings = []string{"", "s”\"»«」』)'. I love tea.\n```"} //nolint:gochecknoglobals // a constant table

func stepsOf(message string) int {
	c := steps.Begin(context.Background())
	statements(c, message)
	return c.Taken()
}

const enough = 8 << 10 // bytes: more than the longest sentence has of a piece

func TestStatementsTakeStepsInProportionToTheMessage(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	for s := range shapes.All(signs, endings, 1, 60) {
		if fault := s.Fault(enough, stepsOf); fault != "" {
			t.Error(fault)
		}
	}
}

func FuzzStatementsTakeStepsInProportionToTheMessage(f *testing.F) {
	for s := range shapes.All(signs, endings, 2, 50) {
		f.Add(s.Begin, s.Piece, s.End)
	}
	f.Fuzz(func(t *testing.T, begin, piece, end string) {
		if piece == "" || len(begin)+len(piece)+len(end) > 1<<6 { // a sentence has 400 pieces
			t.Skip()
		}
		if fault := (shapes.Shape{Begin: begin, Piece: piece, End: end}).Fault(2*enough, stepsOf); fault != "" {
			t.Error(fault)
		}
	})
}

func TestStatementsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	message := strings.Repeat("I hate x.\n", 1<<18)
	c := steps.Begin(ctx)
	if statements(c, message); c.Taken() > 1<<10 {
		t.Errorf("%d steps of a message of %d bytes that nobody waits for", c.Taken(), len(message))
	}
	if all, err := Statements(ctx, message); !errors.Is(err, context.Canceled) || all != nil {
		t.Errorf("%v, and %d statements", err, len(all))
	}
	late, cancelLate := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancelLate()
	if _, err := Statements(late, message); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
